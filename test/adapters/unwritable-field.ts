import { AsyncReplyError } from "async-request-reply";
import type { SettingsOptions } from "async-request-reply/ports";

/** Hooks that authorize every request and then refuse it with this value in a reply field. */
export function refuseWithField(value: string): Pick<SettingsOptions, "authorize" | "admit"> {
  return {
    authorize: () => ({ id: "a" }),
    admit: () => {
      throw new AsyncReplyError("TOO_MANY_REQUESTS", "Later, please.", { headers: { "x-limit": value } });
    },
  };
}

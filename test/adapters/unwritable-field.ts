import { AsyncReplyError, type SettingsOptions } from "async-request-reply";

/** Hooks that let everybody in, and refuse every request with a field of this value. */
export function refuseWithField(value: string): Pick<SettingsOptions, "authorize" | "admit"> {
  return {
    authorize: () => ({ id: "a" }),
    admit: () => {
      throw new AsyncReplyError("TOO_MANY_REQUESTS", "Later, please.", { headers: { "x-limit": value } });
    },
  };
}

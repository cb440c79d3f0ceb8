import type { Backend } from "async-request-reply";

/** Error of `check`. It must never contain the password of a test. */
export interface RefusedCheck {
  readonly code: string;
  readonly detail: string;
}

/** Returns the code and the detail with which a check is refused. Fails if the back end can be used. */
export async function refusedCheck({ check }: Pick<Backend, "check">): Promise<RefusedCheck> {
  try {
    await check();
  } catch (error) {
    const { code, detail } = error as RefusedCheck;
    return { code, detail };
  }
  throw new Error("the check found no mistake");
}

/** A mistake in the configuration, with these words. */
export function misconfigured(detail: string): RefusedCheck {
  return { code: "INVALID_OPTION", detail };
}

/** A store that may be there later, with these words. */
export function unavailable(detail: string): RefusedCheck {
  return { code: "STORE_UNAVAILABLE", detail };
}

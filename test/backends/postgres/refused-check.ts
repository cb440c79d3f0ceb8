import type { Backend } from "async-request-reply";
import { expect } from "vitest";

/** Error of `check`. It must never contain the password of a test. */
export interface RefusedCheck {
  readonly code: string;
  readonly detail: string;
}

type Checked = Pick<Backend<never>, "check">;

/** Returns the code and the detail with which a check is refused. Fails if the back end can be used. */
export async function refusedCheck({ check }: Checked): Promise<RefusedCheck> {
  try {
    await check();
  } catch (error) {
    const { code, detail } = error as RefusedCheck;
    return { code, detail };
  }
  throw new Error("the check found no mistake");
}

/** Expects that a check finds a mistake in the configuration, in these words. */
export async function expectMisconfigured(backend: Checked, detail: string): Promise<void> {
  expect(await refusedCheck(backend)).toEqual({ code: "INVALID_OPTION", detail });
}

/** Expects that a check finds a store that may be there later, in these words. */
export async function expectUnavailable(backend: Checked, detail: string): Promise<void> {
  expect(await refusedCheck(backend)).toEqual({ code: "STORE_UNAVAILABLE", detail });
}

import type { ConsoleAccess, ConsoleAuthorize } from "../../console/access/authorize.js";
import { equalInConstantTime } from "../../http/access/credentials.js";
import { createSystemRuntime } from "../../platform/system-runtime.js";

/** Login of the person who started the program. */
export interface Login {
  /** Token for one login. */
  readonly token: string;
  /** Returns the `Set-Cookie` of a session, the first time that the token is right. */
  exchange(token: string): string | undefined;
  /** Lets the session in. */
  readonly authorize: ConsoleAuthorize;
}

const COOKIE = "async-request-reply-console";

/** Creates a login with random secrets. The session lasts as long as the program and the browser. */
export function createLogin(access: ConsoleAccess): Login {
  const { newToken } = createSystemRuntime();
  const [token, session] = [newToken(), newToken()];
  let isUsed = false;
  return {
    token,
    exchange: (given) => {
      if (isUsed || !equalInConstantTime(given, token)) return undefined;
      isUsed = true;
      return `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`;
    },
    authorize: ({ header }) => {
      const cookies = (header("cookie") ?? "").split("; ");
      const isLoggedIn = cookies.some((cookie) => equalInConstantTime(cookie, `${COOKIE}=${session}`));
      return isLoggedIn ? { access, id: "async-request-reply console" } : undefined;
    },
  };
}

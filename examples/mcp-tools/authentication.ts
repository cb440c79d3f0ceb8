/** Says who calls: in your server, verify the tokens of your authorization server. */
import {
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Principal, unauthenticated } from "async-request-reply";

const users: Readonly<Record<string, string>> = { "anna-token": "anna", "ben-token": "ben" };

/** Verifies the token of a request. Returns a 401 if it is missing or unknown. */
export const authenticate = requireBearerAuth({
  verifier: {
    async verifyAccessToken(token) {
      const user = users[token];
      if (user === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, "Unknown token.");
      const expiresAt = Date.now() / 1_000 + 60;
      return { token, clientId: "desktop-app", scopes: [], expiresAt, extra: { user } };
    },
  },
});

/** Returns the user, and not the `clientId`, which all users of the desktop app share. */
export function principal({ http }: ServerContext): Principal {
  const user = http?.authInfo?.extra?.user;
  if (typeof user !== "string") throw unauthenticated();
  return { id: user };
}

import { unauthenticated } from "../../contract/errors.js";
import { kindOf, misuse } from "../../contract/options.js";
import { equalInConstantTime } from "../../http/access/credentials.js";
import type { ConsoleAccess, ConsoleAuthorize } from "./authorize.js";

/** Credentials that a person typed into the login dialog of the browser. */
export interface BasicCredentials {
  /** User name. */
  readonly user: string;
  /** Password. */
  readonly password: string;
}

/** Returns what a person may do, or nothing if the credentials are wrong. */
export type VerifyBasic = (credentials: BasicCredentials) => ReturnType<ConsoleAuthorize>;

const EXPECTED =
  'a function that verifies a user name and a password, or an object of known passwords and accesses: `{ [password]: "operate" }`';

/**
 * Creates an `authorize` hook for HTTP Basic authentication (RFC 7617). Browsers then ask for a user name and a
 * password. Use it over HTTPS or on localhost only, because browsers send the password with every request.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param verify a function that verifies credentials, or an object of known passwords, which are compared in constant
 *   time. With an object, any user name is accepted.
 */
export function basic(verify: VerifyBasic | Readonly<Record<string, ConsoleAccess>>): ConsoleAuthorize {
  const check = toVerify(verify);
  const authorize: ConsoleAuthorize = (request) => {
    const credentials = readCredentials(request.header("authorization"));
    if (credentials === undefined) throw unauthenticated("A user name and a password are required.");
    return check(credentials);
  };
  return Object.assign(authorize, { challenge: 'Basic realm="console", charset="UTF-8"' });
}

function toVerify(verify: unknown): VerifyBasic {
  if (typeof verify === "function") return verify as VerifyBasic;
  if (typeof verify !== "object" || verify === null)
    throw misuse(`basic() takes ${EXPECTED}, not ${kindOf(verify)}.`);
  const known = Object.entries(verify as Readonly<Record<string, ConsoleAccess>>);
  if (known.length === 0) throw misuse(`basic() takes ${EXPECTED}, not an empty object.`);
  if (known.some(([password]) => password === "")) throw misuse("basic() must not know an empty password.");
  // Compares all of them, so the duration does not reveal which one was close.
  return ({ password }) => known.filter(([candidate]) => equalInConstantTime(candidate, password))[0]?.[1];
}

function readCredentials(field = ""): BasicCredentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(field) ?? [];
  const text = encoded === undefined ? undefined : decode(encoded);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon === -1) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Returns the text of a base64 value in UTF-8, or undefined if it is malformed. */
function decode(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

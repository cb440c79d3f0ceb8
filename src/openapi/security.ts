import { suggestName } from "../contract/closest-name.js";
import { misuse, shown } from "../contract/options.js";
import type { Authorize, SecurityScheme } from "../ports/authorize.js";
import type { SecurityRequirement } from "./document.js";

/** How callers are authorized, where `authorize` of the service does not say it. */
export interface SecurityOptions {
  /** In place of what `authorize` says of itself: for hooks that read something else than what they ask for. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Which of the schemes a request needs. By default any one of them. */
  readonly security?: readonly SecurityRequirement[];
}

/** How callers are authorized, as far as a document can tell. */
export interface Security {
  /** None where everybody is let in. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly requirements: readonly SecurityRequirement[];
}

/**
 * Describes what a service asks callers for: what the options say, or else its `authorize`.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function describeSecurity(authorize: Authorize, options: SecurityOptions): Security {
  const schemes = options.securitySchemes ?? schemesOf(authorize);
  const names = Object.keys(schemes);
  const requirements = options.security ?? names.map((name) => ({ [name]: [] }));
  const unknown = requirements.flatMap((each) => Object.keys(each)).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw misuse(
      `Unknown scheme ${shown(unknown)} in \`security\`. ${suggestName("schemes", unknown, names)}`,
    );
  return { schemes, requirements };
}

/** What a 401 of this hook has in `WWW-Authenticate`. */
export function challengeOf({ challenge = "Bearer" }: Authorize): string {
  return challenge;
}

function schemesOf(authorize: Authorize): Security["schemes"] {
  // A challenge begins with the name of its scheme (RFC 9110 §11.3).
  const [challenged = ""] = challengeOf(authorize).toLowerCase().split(" ", 1);
  const { scheme = { type: "http", scheme: challenged } } = authorize;
  if (scheme === "none") return {};
  const name = scheme.type === "http" ? scheme.scheme : scheme.type;
  // Not every name of a scheme can be that of a component.
  return { [name.replace(/[^A-Za-z0-9._-]/g, "_")]: scheme };
}

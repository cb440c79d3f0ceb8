import { misuse, shown, suggestName } from "../contract/options.js";
import type { Authorize, SecurityScheme } from "../ports/authorize.js";
import type { SecurityRequirement } from "./document.js";

/** Options that describe how callers authenticate. */
export interface SecurityOptions {
  /** Security schemes by name. Default: the `scheme` of `authorize`, or the scheme that its `challenge` names. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Alternative security requirements. Default: any one of the schemes. */
  readonly security?: readonly SecurityRequirement[];
}

/** {@link SecurityOptions} that were read. */
export type SecuritySettings = {
  readonly [Name in keyof SecurityOptions]-?: SecurityOptions[Name] | undefined;
};

/** How callers authenticate. */
export interface Security {
  /** Security schemes by name. Empty if the service allows every request. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly requirements: readonly SecurityRequirement[];
}

/**
 * Returns how callers of a service authenticate, from the options or from its `authorize` hook.
 *
 * Throws `INVALID_OPTION`.
 */
export function describeSecurity(authorize: Authorize | undefined, options: SecuritySettings): Security {
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

/** Returns the `WWW-Authenticate` value of a 401 of this hook. */
export function challengeOf(authorize: Authorize | undefined): string {
  return authorize?.challenge ?? "Bearer";
}

function schemesOf(authorize: Authorize | undefined): Security["schemes"] {
  if (authorize === undefined)
    throw misuse(
      "The service has no `authorize`, so nothing says how callers authenticate. Pass `authorize` to createService(), or " +
        "`securitySchemes` to createOpenApiDocument().",
    );
  // A challenge starts with the name of its scheme (RFC 9110 §11.3).
  const [challenged = ""] = challengeOf(authorize).toLowerCase().split(" ", 1);
  const { scheme = { type: "http", scheme: challenged } } = authorize;
  if (scheme === "none") return {};
  const name = scheme.type === "http" ? scheme.scheme : scheme.type;
  // Names of components allow fewer characters than names of schemes.
  return { [name.replace(/[^A-Za-z0-9._-]/g, "_")]: scheme };
}

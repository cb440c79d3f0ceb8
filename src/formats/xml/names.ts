import { malformed } from "../malformed.js";

// Characters of a name without a colon, and those that may start it (XML 1.0 §2.3, Namespaces in XML 1.0 §3).
const START =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}" +
  "\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const ANY = `${START}.0-9\\-\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}`;

const ORDINARY = /^[A-Za-z]\w*$/;
const NOT_IN_NAME = new RegExp(`^[^${START}]|[^${ANY}]`, "gu");
/** An underscore that would be read as the start of an escape. The text after it may be an escape too. */
const LIKE_ESCAPE = new RegExp(`_(?=x[0-9A-Fa-f]{4}(?:_|[^${ANY}]))`, "gu");
const EMPTY = "_x_";

/**
 * Returns the name of the element for a member. Each UTF-16 unit that an XML name cannot contain is written as
 * `_xHHHH_`, and so is an underscore that looks like the start of such an escape. The empty name is `_x_`. A lone
 * surrogate becomes U+FFFD.
 */
export function encodeName(name: string): string {
  if (ORDINARY.test(name) && !name.includes("_x")) return name;
  if (name === "") return EMPTY;
  if (name === EMPTY) return `_x005F${EMPTY}`;
  return name.toWellFormed().replace(LIKE_ESCAPE, "_x005F_").replace(NOT_IN_NAME, escapeUnits);
}

/**
 * Returns the name of the member for an element. Reverses {@link encodeName}, and any other escape of this form.
 *
 * Throws `MALFORMED_BODY` if the escapes leave a lone surrogate.
 */
export function decodeName(local: string): string {
  if (!local.includes("_x")) return local;
  if (local === EMPTY) return "";
  const name = local.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (name.isWellFormed()) return name;
  throw malformed("The name … contains a lone surrogate.", local);
}

function escapeUnits(character: string): string {
  const units = character
    .split("")
    .map((unit) => unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0"));
  return units.map((hex) => `_x${hex}_`).join("");
}

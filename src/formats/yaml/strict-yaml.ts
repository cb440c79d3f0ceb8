import {
  CORE_SCHEMA,
  constructFromEvents,
  type DocumentEvent,
  EVENT_ID,
  type Event,
  floatCoreTag,
  intCoreTag,
  mapTag,
  NOT_RESOLVED,
  type PopEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  strTag,
  YAMLException,
} from "js-yaml";
import { type AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { exactNumber, inexactNumber } from "../json.js";
import { malformed } from "../malformed.js";

/**
 * Parses one YAML 1.2 document. Refuses everything that JSON cannot represent or that two readers could understand
 * differently:
 *
 * - anchors, aliases and tags
 * - `%TAG`, and `%YAML` with another version
 * - a byte order mark
 * - a name that is repeated or not a string
 * - a number that is not finite or would silently become another
 * - a lone surrogate
 * - nesting deeper than `maxDepth`
 *
 * `<<`, `yes` and `1_000` are strings, and `__proto__` is an ordinary member.
 *
 * Throws `MALFORMED_BODY`. Offsets in its detail count UTF-16 code units from 0.
 */
export function parseStrictYaml(text: string, { maxDepth }: { readonly maxDepth: number }): unknown {
  checkBeginning(text);
  try {
    // js-yaml limits its recursion, which takes two levels for a scalar because it first tries to read it as a name.
    const events = parseEvents(text, { maxDepth: maxDepth + 2 });
    checkEvents(events, text, maxDepth);
    const [value] = constructFromEvents(events, { source: text, schema: strictSchema, maxAliases: 0 });
    return value;
  } catch (error) {
    if (isAsyncReplyError(error)) throw error;
    const { reason = "", mark } = error instanceof YAMLException ? error : ({} as Partial<YAMLException>);
    if (reason.startsWith("nesting exceeded"))
      throw malformed(`The body is nested more than ${maxDepth} levels deep.`);
    const place = mark === undefined ? "" : ` (line ${mark.line + 1}, column ${mark.column + 1})`;
    throw malformed(`The body is not valid YAML${place}.`);
  }
}

/**
 * Refuses a byte order mark and indentation at the start, which js-yaml skips. Other readers take them as part of a
 * name or text.
 */
function checkBeginning(text: string): void {
  if (text.startsWith("\ufeff")) throw malformed("The body begins with a byte order mark.");
  if (/^[ \t]+(?:---|%)/.test(text))
    throw malformed("The body begins with an indented document marker or directive.");
}

/**
 * Checks what js-yaml read, before it creates values. The text must be one document with at most `maxDepth` nested
 * containers, without anchors, aliases, tags and foreign directives, and without characters that YAML does not have.
 *
 * Throws `MALFORMED_BODY`.
 */
function checkEvents(events: readonly Event[], text: string, maxDepth: number): void {
  let documents = 0;
  let depth = -1; // documents also emit POP, but are not containers
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      depth--;
    } else if (event.type === EVENT_ID.DOCUMENT) {
      depth++;
      documents++;
      checkDirectives(event);
    } else {
      checkProperties(event);
      if (event.type === EVENT_ID.SCALAR) checkCharacters(event, text);
      else if (event.type !== EVENT_ID.ALIAS && ++depth > maxDepth)
        throw refused(`is nested more than ${maxDepth} levels deep`, event.start);
    }
  }
  if (documents !== 1) throw malformed("The body is not exactly one YAML document.");
}

function refused(what: string, offset: number): AsyncReplyError {
  return malformed(`The body ${what} (at offset ${offset}).`);
}

function checkDirectives({ directives }: DocumentEvent): void {
  const isForeign = directives.some((directive) => directive.kind !== "yaml" || directive.version !== "1.2");
  if (isForeign) throw malformed("The body has a directive other than %YAML 1.2.");
}

/** Position that js-yaml reports for absent parts. */
const ABSENT = -1;

/** Refuses anchors, aliases and tags. An alias event has its name where other events have their anchor. */
function checkProperties(event: Exclude<Event, DocumentEvent | PopEvent>): void {
  if (event.anchorStart !== ABSENT) throw refused("has an anchor or an alias", event.anchorStart);
  if ("tagStart" in event && event.tagStart !== ABSENT) throw refused("has a tag", event.tagStart);
}

/**
 * Refuses characters that js-yaml lets through: an unquoted byte order mark, and `\U` with digits beyond U+10FFFF, of
 * which it drops the highest.
 */
function checkCharacters({ style, valueStart, valueEnd }: ScalarEvent, text: string): void {
  const source = text.slice(valueStart, valueEnd);
  if (style === SCALAR_STYLE.DOUBLE_QUOTED) {
    for (const { 0: written, index } of source.matchAll(/\\(?:U(?:00(?:0|10))?|.)/g)) {
      if (written === "\\U") throw refused("has an escape beyond U+10FFFF", valueStart + index);
    }
  } else if (style !== SCALAR_STYLE.SINGLE_QUOTED && source.includes("\ufeff")) {
    throw refused("has an unquoted byte order mark", valueStart);
  }
}

/**
 * Core schema (YAML 1.2.2 §10.3), limited to JSON: names are strings, strings are well-formed Unicode, and numbers are
 * finite and as exact as in JSON.
 */
const strictSchema = CORE_SCHEMA.withTags(
  { ...strTag, resolve: wholeText },
  { ...intCoreTag, resolve: readRadixInteger },
  { ...floatCoreTag, resolve: readDecimal },
  {
    ...mapTag,
    addPair: (members, name, value) => {
      if (typeof name !== "string") throw malformed("The body has a name that is not a string.");
      return mapTag.addPair(members, name, value);
    },
  },
);

/** Refuses a lone surrogate, which escapes can create even though the bytes cannot. */
function wholeText(text: string): string {
  if (!text.isWellFormed()) throw malformed("The body contains a lone surrogate.");
  return text;
}

/** Reads the integers that JSON does not have, such as `0o17` and `0x1F`. */
function readRadixInteger(text: string): number | typeof NOT_RESOLVED {
  if (!/^0(?:o[0-7]+|x[\da-fA-F]+)$/.test(text)) return NOT_RESOLVED;
  const value = Number(text);
  if (!Number.isFinite(value) || BigInt(value) !== BigInt(text)) throw inexactNumber();
  return value;
}

/** Reads integers and fractions. By default, js-yaml turns a number that is too large into a string. */
function readDecimal(text: string): number | typeof NOT_RESOLVED {
  const parts = /^([-+]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(text);
  if (parts === null) return refuseInfinite(text);
  const [, sign, whole = "", fraction, exponent] = parts;
  const digits = `${whole.replace(/^0+/, "") || "0"}.${fraction || "0"}`;
  return exactNumber(`${sign === "-" ? "-" : ""}${digits}e${exponent ?? "0"}`);
}

function refuseInfinite(text: string): typeof NOT_RESOLVED {
  if (floatCoreTag.resolve(text, false, floatCoreTag.tagName) === NOT_RESOLVED) return NOT_RESOLVED;
  throw malformed("The body contains a number that is not finite.");
}

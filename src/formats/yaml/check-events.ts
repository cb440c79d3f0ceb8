import {
  type DocumentEvent,
  EVENT_ID,
  type Event,
  type PopEvent,
  SCALAR_STYLE,
  type ScalarEvent,
} from "js-yaml";
import type { AsyncReplyError } from "../../contract/errors.js";
import { malformed } from "../malformed.js";

/**
 * Checks what js-yaml read, before it creates values. The text must be one document with at most `maxDepth` nested
 * containers, without anchors, aliases, tags and foreign directives, and without characters that YAML does not have.
 *
 * Throws `MALFORMED_BODY`.
 */
export function checkEvents(events: readonly Event[], text: string, maxDepth: number): void {
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

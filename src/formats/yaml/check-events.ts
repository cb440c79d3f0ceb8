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
 * Checks what js-yaml read, before any value is made of it: one document of no more than `maxDepth` containers in one
 * another, without anchors, aliases, tags and foreign directives, and without characters that YAML does not have.
 *
 * @throws AsyncReplyError `MALFORMED_BODY`
 */
export function checkEvents(events: readonly Event[], text: string, maxDepth: number): void {
  let documents = 0;
  let depth = -1; // a document is closed like a container, and is none
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

/** Where js-yaml puts what is not there. */
const ABSENT = -1;

/** An alias is an event whose name stands where other events have their anchor. */
function checkProperties(event: Exclude<Event, DocumentEvent | PopEvent>): void {
  if (event.anchorStart !== ABSENT) throw refused("has an anchor or an alias", event.anchorStart);
  if ("tagStart" in event && event.tagStart !== ABSENT) throw refused("has a tag", event.tagStart);
}

/** js-yaml keeps a byte order mark that is not in quotes, and takes `\U` with any digits and drops the highest of them. */
function checkCharacters({ style, valueStart, valueEnd }: ScalarEvent, text: string): void {
  const source = text.slice(valueStart, valueEnd);
  if (style === SCALAR_STYLE.DOUBLE_QUOTED) {
    for (const { 0: written, index } of source.matchAll(/\\(?:U(?:00(?:0|10))?|.)/g)) {
      if (written === "\\U") throw refused("has an escape beyond U+10FFFF", valueStart + index);
    }
  } else if (style !== SCALAR_STYLE.SINGLE_QUOTED && source.includes("\ufeff")) {
    throw refused("has a byte order mark that is not in quotes", valueStart);
  }
}

import { constructFromEvents, parseEvents, YAMLException } from "js-yaml";
import { isAsyncReplyError } from "../../contract/errors.js";
import { malformed } from "../malformed.js";
import { checkEvents } from "./check-events.js";
import { strictSchema } from "./strict-schema.js";

/**
 * Parses one YAML 1.2 document and refuses what has no place in JSON, or what two readers could understand differently:
 * anchors, aliases and tags; `%TAG`, and `%YAML` of another version; a byte order mark; a name that is no string or is
 * repeated; a number that is not finite or would silently become another; one half of a surrogate pair; nesting deeper
 * than `maxDepth`. `<<`, `yes` and `1_000` are strings, and `__proto__` is a member like any other.
 *
 * @throws AsyncReplyError `MALFORMED_BODY`; offsets in its detail count UTF-16 code units from 0
 */
export function parseStrictYaml(text: string, { maxDepth }: { readonly maxDepth: number }): unknown {
  checkBeginning(text);
  try {
    // js-yaml counts its own recursion: for a scalar two levels, because it tries to read it as a name first.
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

/** js-yaml skips both before it reads, but other readers see a name or a text that begins with them. */
function checkBeginning(text: string): void {
  if (text.startsWith("\ufeff")) throw malformed("The body begins with a byte order mark.");
  if (/^[ \t]+(?:---|%)/.test(text))
    throw malformed("The body begins with a document marker or a directive that is indented.");
}

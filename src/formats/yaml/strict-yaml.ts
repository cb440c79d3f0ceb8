import { constructFromEvents, parseEvents, YAMLException } from "js-yaml";
import { isAsyncReplyError } from "../../contract/errors.js";
import { malformed } from "../malformed.js";
import { checkEvents } from "./check-events.js";
import { strictSchema } from "./strict-schema.js";

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

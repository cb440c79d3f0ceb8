import { AsyncReplyError } from "../errors.js";
import { misuse } from "../options.js";
import { adoptPromise } from "../promises.js";
import { tenantProblem } from "../tenant.js";
import type { OperationDefinition } from "./definition.js";

/** Rule for the return value of `serialBy`. */
const RULE = "Return a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/**
 * Returns the lane of a submission, or undefined if the definition has no `serialBy`.
 *
 * Throws `INVALID_OPTION` if `serialBy` throws or returns anything else than such a string. The message does not quote
 * the value, because it may come from the payload.
 *
 * @param output Validated input of the submission.
 */
export function laneOf(definition: OperationDefinition, output: unknown): string | undefined {
  const { name } = definition;
  if (definition.serialBy === undefined) return undefined;
  const lane = call(definition, output);
  if (adoptPromise(lane) instanceof Promise)
    throw misuse(
      `\`serialBy\` of the definition "${name}" returned a promise. It must be synchronous. ${RULE}`,
    );
  const problem = tenantProblem(lane);
  if (problem === undefined) return lane as string;
  throw misuse(`The value that \`serialBy\` of the definition "${name}" returned ${problem}. ${RULE}`);
}

function call(definition: OperationDefinition, output: unknown): unknown {
  try {
    return definition.serialBy?.(output);
  } catch (cause) {
    const detail =
      `\`serialBy\` of the definition "${definition.name}" threw an error, which is the cause of this one. It must return ` +
      "a string for every valid input.";
    throw new AsyncReplyError("INVALID_OPTION", detail, { cause, eventDetail: detail });
  }
}

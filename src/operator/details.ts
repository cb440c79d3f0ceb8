import { END } from "../contract/output.js";
import { present } from "../contract/present.js";
import { toDate } from "../contract/visible-operation.js";
import type { InspectedOperation } from "../ports/operation-reads.js";
import type { OperatorContext } from "./context.js";
import { type OperationDetails, toDetails } from "./views.js";

/**
 * Returns an operation with its payloads, and what is known about its output.
 *
 * Throws `CORRUPT_RECORD`, `STORE_UNAVAILABLE`.
 */
export async function readDetails(
  { definitions, readOutput }: Pick<OperatorContext, "definitions" | "readOutput">,
  inspected: InspectedOperation,
): Promise<OperationDetails> {
  const { operation } = inspected;
  const details = toDetails(inspected);
  const definition = definitions.find(({ name }) => name === operation.definition);
  if (readOutput === undefined || definition === undefined) return details;
  const { chunk, checkpoint } = definition;
  const slice = checkpoint === undefined ? undefined : await readOutput(operation.id, END);
  const checkpointAt = slice?.checkpointAt;
  return {
    ...details,
    ...(chunk !== undefined && { hasOutput: true }),
    ...present({ lastCheckpointAt: checkpointAt === undefined ? undefined : toDate(checkpointAt) }),
  };
}

import type { OperationDefinition } from "../../../contract/definition/definition.js";
import type { Lease } from "../../../ports/operation-store.js";
import type { OutputState } from "../../../ports/output-store.js";
import type { BegunAttempt, WorkerContext } from "../../context.js";
import { untilAnswered } from "../until-answered.js";

/** Returns whether attempts of a definition can have output or checkpoints. */
export function keepsOutput({ chunk, checkpoint }: OperationDefinition): boolean {
  return chunk !== undefined || checkpoint !== undefined;
}

/** Reads what stands when an attempt begins. Resolves to undefined if the worker had to stop first. */
export function readStanding(
  lease: Lease,
  context: WorkerContext,
): Promise<OutputState | "lost" | undefined> {
  const { output } = context.backend;
  // A worker refuses such definitions on a back end without output.
  return untilAnswered(context, "read-output", async () => output?.begun(lease) ?? { count: 0, bytes: 0 });
}

/** Returns the number of attempts since the last checkpoint, with the current one. Attempts count from it. */
export function triesOf({
  operation: { attempt },
  standing,
}: Pick<BegunAttempt, "operation" | "standing">): number {
  return attempt - ((standing?.checkpoint?.attempt ?? 1) - 1);
}

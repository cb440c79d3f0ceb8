import { isOperationId } from "../../contract/operation.js";
import type { ListedOperation, RedriveResult } from "../../ports/operation-store.js";
import { checkKnown, type OperatorContext } from "../context.js";
import { successorIds } from "./successor-ids.js";

/** Runs one failed operation again: see `Operator.redrive`. */
export async function redriveOne(context: OperatorContext, id: string): Promise<RedriveResult> {
  if (!isOperationId(id)) return { outcome: "unknown" };
  const [failed] = await context.store.getMany([id]);
  if (failed === undefined) return { outcome: "unknown" };
  checkKnown(context, failed.definition);
  const { result, announced } = await redrive(context, failed);
  // A script may exit right after this.
  await announced;
  return result;
}

/** Outcome of a redrive. `announced` resolves when the announcement was published or has failed. */
interface Redriven {
  readonly result: RedriveResult;
  readonly announced: Promise<void>;
}

/** Creates the successor of a failed operation and announces it if it is new. */
export async function redrive(context: OperatorContext, failed: ListedOperation): Promise<Redriven> {
  const { id, definition, tenant, state, settledAt } = failed;
  const announced = Promise.resolve();
  if (settledAt === undefined) return { result: { outcome: "not-redrivable", state }, announced };
  const ids = await successorIds(context.runtime, { id, settledAt });
  const result = await context.store.redrive(id, ids);
  if (result.outcome !== "redriven" || !result.created) return { result, announced };
  const { operationId } = result;
  context.observe({ event: "operation.redriven", operationId, retryOf: id, definition, tenant });
  return { result, announced: context.announcer.announce({ id: operationId, definition }) };
}

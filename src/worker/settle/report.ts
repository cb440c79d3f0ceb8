import { isTerminal, type Operation, type OperationState } from "../../contract/operation.js";
import type { ServiceEvent } from "../../ports/observer.js";
import type { SettleResult } from "../../ports/operation-store.js";
import type { WorkerContext } from "../context.js";
import type { Ending } from "./ending.js";

/** Reports the end of an attempt to the observer, and the end of its operation to the estimate. */
export function report(
  { observe, estimate, runtime }: WorkerContext,
  operation: Operation,
  ending: Ending,
  settled: SettleResult | undefined,
): void {
  const { id: operationId, definition, attempt } = operation;
  const about = { operationId, definition, attempt };
  if (settled?.outcome !== "settled") observe({ event: "attempt.lost", ...about });
  else {
    if (isTerminal(settled.state)) estimate?.ended(operation, runtime.clock.now());
    observe(eventOf(about, settled.state, ending));
  }
}

function eventOf(
  about: { readonly operationId: string; readonly definition: string; readonly attempt: number },
  state: OperationState,
  { settlement, error }: Ending,
): ServiceEvent {
  if (state === "completed") return { event: "operation.completed", ...about };
  if (state === "failed") return { event: "operation.failed", ...about, error };
  if (settlement?.to !== "retry" || settlement.lastError === undefined)
    return { event: "operation.released", ...about };
  return { event: "operation.retried", ...about, delayMs: settlement.delayMs, error };
}

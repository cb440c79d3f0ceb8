import { isTerminal, type Operation } from "../core/operation.js";
import type { SettleResult } from "../ports/operation-store.js";
import type { Ending } from "./attempt.js";
import type { ExecutorOptions } from "./executor.js";

/** Tells the observer how an attempt ended, and the estimate how long its operation took. */
export function report(
  { observe, estimate, runtime }: Pick<ExecutorOptions, "observe" | "estimate" | "runtime">,
  { id: operationId, definition, attempt, createdAt }: Operation,
  { settlement, error }: Ending,
  settled: SettleResult | undefined,
): void {
  const about = { operationId, definition, attempt };
  if (settled?.outcome !== "settled") return observe({ event: "attempt.lost", ...about });
  if (isTerminal(settled.state)) estimate.learn(definition, Math.max(0, runtime.clock.now() - createdAt));
  if (settled.state === "completed") observe({ event: "operation.completed", ...about });
  else if (settled.state === "failed") observe({ event: "operation.failed", ...about, error });
  else if (settlement?.to === "retry" && settlement.countAttempt) {
    observe({ event: "operation.retried", ...about, delayMs: settlement.delayMs, error });
  } else observe({ event: "operation.released", ...about });
}

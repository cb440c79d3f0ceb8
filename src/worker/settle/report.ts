import { isTerminal, type Operation, type Settlement } from "../../contract/operation.js";
import type { AttemptEvent, ServiceEvent } from "../../ports/observer.js";
import type { SettleResult } from "../../ports/operation-store.js";
import { processChannel, settleChannel, traced } from "../../telemetry/channels.js";
import { type AttemptOutcome, aboutAttempt, type ProcessMessage } from "../../telemetry/messages.js";
import { eventAbout, type WorkerContext } from "../context.js";
import type { Ending } from "./ending.js";

/** Reports the end of an attempt to the observer, and the end of its operation to the estimate. */
export function report(
  { observe, estimate, runtime }: WorkerContext,
  operation: Operation,
  ending: Ending,
  settled: SettleResult | undefined,
): void {
  const about = eventAbout(operation);
  const outcome = outcomeOf(ending, settled);
  if (outcome === "lost") observe({ event: "attempt.lost", ...about });
  else {
    if (outcome === "completed" || outcome === "failed") estimate?.ended(operation, runtime.clock.now());
    observe(eventOf(about, outcome, ending));
  }
}

/** Returns how an attempt ended, from the store's answer to its settlement. */
function outcomeOf({ settlement }: Ending, settled: SettleResult | undefined): AttemptOutcome {
  if (settled?.outcome !== "settled") return "lost";
  if (isTerminal(settled.state)) return settled.state;
  return settlement?.to === "retry" && settlement.lastError !== undefined ? "retried" : "released";
}

function eventOf(
  about: AttemptEvent,
  outcome: Exclude<AttemptOutcome, "lost">,
  { settlement, error }: Ending,
): ServiceEvent {
  if (outcome === "failed") return { event: "operation.failed", ...about, error };
  if (outcome !== "retried") return { event: `operation.${outcome}`, ...about };
  const { delayMs } = settlement as Extract<Settlement, { readonly to: "retry" }>;
  return { event: "operation.retried", ...about, delayMs, error };
}

/** Runs an attempt, and publishes it on the channel `process`. */
export function tracedAttempt(operation: Operation, run: () => Promise<Ending>): Promise<Ending> {
  return traced(
    processChannel,
    () => aboutAttempt(operation),
    run,
    ({ settlement, error }): Partial<ProcessMessage> => ({ outcome: settlement?.to ?? "lost", error }),
  );
}

/** Settles an attempt, and publishes that on the channel `settle`. */
export function tracedSettlement(
  operation: Operation,
  ending: Ending,
  settle: () => Promise<SettleResult | undefined>,
): Promise<SettleResult | undefined> {
  return traced(
    settleChannel,
    () => aboutAttempt(operation),
    settle,
    (settled) => ({ outcome: outcomeOf(ending, settled) }),
  );
}

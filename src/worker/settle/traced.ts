import type { Operation } from "../../contract/operation.js";
import type { SettleResult } from "../../ports/operation-store.js";
import { processChannel, settleChannel, traced } from "../../telemetry/channels.js";
import { aboutAttempt, type ProcessMessage } from "../../telemetry/messages.js";
import type { Ending } from "./ending.js";
import { outcomeOf } from "./report.js";

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

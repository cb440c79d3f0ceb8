import { AsyncReplyError } from "../../contract/errors.js";
import {
  isTerminal,
  type Operation,
  type OperationState,
  type Settlement,
} from "../../contract/operation.js";
import type { ServiceEvent } from "../../ports/observer.js";
import type { SettleResult } from "../../ports/operation-store.js";
import { ringAfterEnd } from "../../protocol/bell.js";
import { processChannel, settleChannel, traced } from "../../telemetry/channels.js";
import { type AttemptOutcome, aboutAttempt, type ProcessMessage } from "../../telemetry/messages.js";
import {
  attemptEvent,
  type BegunAttempt,
  endEvent,
  keepsOutput,
  reportError,
  startEvent,
  triesOf,
  type WorkerContext,
} from "../context.js";
import type { CheckedProcessor } from "../processors.js";
import { type Ending, exhausted } from "./ending.js";
import { finishCreation } from "./finish-creation.js";
import { runProcessor } from "./run.js";
import { readStanding, settledAs } from "./until-answered.js";

/** Minimum delay of a suspect that must wait for others. Full jitter alone could be no delay at all. */
const SUSPECT_PAUSE_MS = 1_000;
/** Delay after which a worker that cannot create the resource of an operation offers it again. */
const CREATION_PAUSE_MS = 30_000;

/** Takes an attempt from its beginning to its settlement. */
export type HandleAttempt = (attempt: BegunAttempt) => Promise<void>;

/**
 * Creates the function that runs the processor of an attempt, settles it, and reports it. A failing operation never affects
 * others.
 */
export function createAttempts(context: WorkerContext): HandleAttempt {
  const { processors, runtime, bell, estimate, observe, minutes, suspects, running, draining, stopping } =
    context;
  // No attempt begins after this, because draining comes first.
  stopping.onRaise(() => running.interruptAll());

  return async (attempt) => {
    const processor = processors.get(attempt.operation.definition);
    if (processor === undefined || draining.raised) return release(attempt, 0);
    if (!keepsOutput(processor.definition)) return begin(processor, attempt);
    const standing = await readStanding(attempt.lease, context);
    if (standing === "lost") return settle(attempt, {});
    if (standing === undefined || draining.raised) return release(attempt, 0);
    return begin(processor, { ...attempt, standing });
  };

  function begin(processor: CheckedProcessor, attempt: BegunAttempt): Promise<void> {
    if (!attempt.previousLost) return run(processor, attempt);
    const { definition } = attempt.operation;
    const tries = triesOf(attempt);
    const ended = suspects.begin({ definition, attempt: tries }, processor.settings);
    // A claim that began at once would begin it again.
    if (ended === undefined) return release(attempt, SUSPECT_PAUSE_MS + processor.settings.backoff(tries));
    return run(processor, attempt).finally(ended);
  }

  async function run(processor: CheckedProcessor, attempt: BegunAttempt): Promise<void> {
    const { operation } = attempt;
    if (operation.state === "preparing") return finishCreating(processor, attempt);
    if (triesOf(attempt) > processor.settings.maxAttempts)
      return settle(attempt, exhausted(processor.settings));
    observe(startEvent(operation, context.process()));
    const startedAt = runtime.clock.elapsed();
    const ending = await traced(
      processChannel,
      () => aboutAttempt(operation),
      () => runProcessor(processor, attempt, context),
      endOfProcess,
    );
    await settle(attempt, ending, Math.round(runtime.clock.elapsed() - startedAt));
  }

  async function finishCreating(processor: CheckedProcessor, attempt: BegunAttempt): Promise<void> {
    const { operation } = attempt;
    if (processor.create === undefined) return release(attempt, CREATION_PAUSE_MS);
    try {
      const isPending = await finishCreation(processor, processor.create, attempt, context);
      if (isPending) await ring(operation);
      else ringAfterEnd(bell, operation, false);
    } catch (error) {
      reportError(context, "create-resource", error);
    }
  }

  /** `runMs` is absent if the processor was not called. */
  async function settle({ lease, operation }: BegunAttempt, ending: Ending, runMs?: number): Promise<void> {
    const { settlement } = ending;
    const settled = await traced(
      settleChannel,
      () => aboutAttempt(operation),
      () => settledAs(lease, operation, ending, context),
      (result) => ({ outcome: outcomeOf(ending, result) }),
    );
    report(operation, ending, outcomeOf(ending, settled), runMs);
    if (settled?.outcome !== "settled") return;
    if (settled.state === "failed")
      await processors.get(operation.definition)?.failed?.(operation, ending.error);
    ringAfter(operation, settled.state, settlement);
  }

  function ring({ id: operationId, definition }: Operation, dueInMs?: number): Promise<void> {
    return bell.ring({ definition, operationId }, dueInMs);
  }

  /** Rings for what can begin now: the operation again, those that have waited for its place, and its follow-up. */
  function ringAfter(operation: Operation, state: OperationState, settlement: Settlement | undefined): void {
    const hadPlace = processors.get(operation.definition)?.definition.limits !== undefined;
    if (isTerminal(state)) {
      minutes?.followedUp(operation);
      ringAfterEnd(bell, operation, hadPlace);
    } else if (hadPlace) void ring(operation);
    if (settlement?.to === "retry" && !isTerminal(state)) void ring(operation, settlement.delayMs);
  }

  /** Reports the end of an attempt to the observer, and the end of its operation to the estimate. */
  function report(operation: Operation, ending: Ending, outcome: AttemptOutcome, runMs?: number): void {
    if (outcome === "completed" || outcome === "failed") estimate?.ended(operation, runtime.clock.now());
    observe(eventOf(operation, outcome, ending, runMs));
  }

  /** Ends an attempt that has not started, without counting it, so that another worker can take the operation. */
  function release(attempt: BegunAttempt, delayMs: number): Promise<void> {
    return settle(attempt, { settlement: { to: "retry", delayMs, countAttempt: false, started: false } });
  }
}

function endOfProcess({ settlement, error }: Ending): Partial<ProcessMessage> {
  return { outcome: settlement?.to ?? "lost", error };
}

function eventOf(
  operation: Operation,
  outcome: AttemptOutcome,
  { settlement, error }: Ending,
  runMs: number | undefined,
): ServiceEvent {
  if (outcome === "completed") return endEvent("operation.completed", operation, runMs);
  if (outcome === "failed") {
    // The store fails an operation that was to be retried only if it was cancelled.
    const reason = settlement?.to === "retry" ? cancelled(error) : error;
    return { ...endEvent("operation.failed", operation, runMs), error: reason };
  }
  if (outcome === "released") return { ...attemptEvent("operation.released", operation), runMs };
  if (outcome === "lost") return { ...attemptEvent("attempt.lost", operation), runMs };
  const { delayMs } = settlement as Extract<Settlement, { readonly to: "retry" }>;
  return { ...attemptEvent("operation.retried", operation), runMs, delayMs, error };
}

function cancelled(cause: unknown): AsyncReplyError {
  return new AsyncReplyError("CANCELLED", "The operation was cancelled.", { cause });
}

/** Returns how an attempt ended, from the store's answer to its settlement. */
function outcomeOf({ settlement }: Ending, settled: SettleResult | undefined): AttemptOutcome {
  if (settled?.outcome !== "settled") return "lost";
  if (isTerminal(settled.state)) return settled.state;
  return settlement?.to === "retry" && settlement.lastError !== undefined ? "retried" : "released";
}

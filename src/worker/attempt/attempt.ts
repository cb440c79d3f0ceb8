import { isTerminal, type Operation, type Settlement } from "../../contract/operation.js";
import { type Announcement, parseAnnouncement } from "../../ports/announcement.js";
import type { ServiceEvent } from "../../ports/observer.js";
import type { AttemptRequest, BeginResult, Lease, SettleResult } from "../../ports/operation-store.js";
import { expiredEvent } from "../../ports/overdue.js";
import type { BegunAttempt, Delivery } from "../../ports/queue.js";
import { insteadOf, isRefused } from "../../protocol/refused-ending.js";
import { processChannel, settleChannel, traced } from "../../telemetry/channels.js";
import { type AttemptOutcome, aboutAttempt, type ProcessMessage } from "../../telemetry/messages.js";
import { attemptEvent, endEvent, reportError, type WorkerContext } from "../context.js";
import { sleep } from "../latch.js";
import type { CheckedProcessor } from "../processors.js";
import { type Ending, exhausted } from "./ending.js";
import { finishCreation } from "./finish-creation.js";
import { runProcessor } from "./run.js";

/** Minimum delay of a suspect that a queue should not have begun. Full jitter alone could be no delay at all. */
const SUSPECT_PAUSE_MS = 1_000;
/** Delays of a settlement that the store did not take. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Delay after which a worker that cannot create the resource of an operation offers it again. */
const CREATION_PAUSE_MS = 30_000;
/** The sweep announces operations with longer delays, so that no timer and no operation stays in memory for hours. */
const MAX_AWAITED_DELAY_MS = 60_000;

/**
 * Creates the function that takes a delivery from its receipt to its settlement: begins an attempt, runs the processor,
 * settles the attempt, and reports it. A failing operation never affects others.
 */
export function createAttempts(context: WorkerContext): (delivery: Delivery) => Promise<void> {
  const { processors, backend, runtime, settings, announcer, estimate, observe, suspects } = context;
  const { running, draining, stopping } = context;
  // Other workers can take what waits here, before the sweep finds it.
  draining.onRaise(() => {
    for (const { operationId, definition } of suspects.takeAll())
      void announcer.announce({ id: operationId, definition });
  });
  // No attempt begins after this, because draining comes first.
  stopping.onRaise(() => running.interruptAll());

  return async (delivery) => {
    if (delivery.attempt !== undefined) return admit(delivery.attempt);
    const announcement = readAnnouncement(delivery);
    if (announcement === undefined) return answered("ack", delivery.ack());
    if (suspects.isWaiting(announcement)) {
      suspects.answered(delivery.announcement);
      return answered("ack", delivery.ack());
    }
    const { operationId, definition } = announcement;
    const lease = { operationId, token: runtime.newToken() };
    let begun: BeginResult | undefined;
    try {
      begun = await backend.operations.beginAttempt(operationId, requestOf(definition, lease));
    } catch (error) {
      reportError(context, "begin", error);
    }
    // An operation whose resource does not exist yet needs a worker that can create it, and one without a place waits for it,
    // so the queue redelivers both.
    const redeliver = begun === undefined || begun.outcome === "preparing" || begun.outcome === "full";
    // From here on, the lease protects the work. It does not wait for the queue.
    const answering = redeliver ? answered("nack", delivery.nack()) : answered("ack", delivery.ack());
    suspects.answered(delivery.announcement);
    if (begun?.outcome === "expired") observe(expiredEvent(begun.operation));
    if (begun?.outcome === "begun") await admit({ lease, begun }, delivery.announcement);
    await answering;
  };

  /** Returns undefined for a malformed message. It is acked, because it would be malformed next time too. */
  function readAnnouncement({ announcement }: Delivery): Announcement | undefined {
    try {
      return parseAnnouncement(announcement);
    } catch (error) {
      reportError(context, "read-announcement", error);
      return undefined;
    }
  }

  function requestOf(definition: string, { token }: Lease): AttemptRequest {
    const processor = processors.get(definition);
    const { leaseMs } = processor?.settings ?? settings;
    const limits = processor?.definition.limits;
    return { token, leaseMs, creates: processor?.create !== undefined, limits };
  }

  /** Resolves when the queue has the ack or nack. Without it, the queue delivers again, and the store knows better. */
  async function answered(step: "ack" | "nack", answer: Promise<void>): Promise<void> {
    try {
      await answer;
    } catch (error) {
      reportError(context, step, error);
    }
  }

  function admit(attempt: BegunAttempt, announcement?: Announcement): Promise<void> {
    const { operation, previousLost } = attempt.begun;
    const processor = processors.get(operation.definition);
    if (processor === undefined || draining.raised) return release(attempt, 0);
    if (!previousLost) return run(processor, attempt);
    const ended = suspects.begin(operation, processor.settings);
    if (ended === undefined) return postpone(processor, attempt, announcement);
    return run(processor, attempt).finally(ended);
  }

  /** Releases a suspect until it may begin. */
  function postpone(
    { settings: { backoff } }: CheckedProcessor,
    attempt: BegunAttempt,
    announcement: Announcement | undefined,
  ): Promise<void> {
    // A queue that begins attempts itself would begin it again at once.
    if (announcement === undefined)
      return release(attempt, SUSPECT_PAUSE_MS + backoff(attempt.begun.operation.attempt));
    suspects.wait(announcement);
    return release(attempt, 0);
  }

  async function run(processor: CheckedProcessor, attempt: BegunAttempt): Promise<void> {
    const { operation } = attempt.begun;
    if (operation.state === "preparing") return finishCreating(processor, attempt);
    if (operation.attempt > processor.settings.maxAttempts)
      return settle(attempt, exhausted(processor.settings));
    observe(attemptEvent("operation.started", operation));
    const ending = await traced(
      processChannel,
      () => aboutAttempt(operation),
      () => runProcessor(processor, attempt, context),
      endOfProcess,
    );
    await settle(attempt, ending);
  }

  async function finishCreating(processor: CheckedProcessor, begun: BegunAttempt): Promise<void> {
    // A queue that begins attempts itself might not know which workers can create resources.
    if (processor.create === undefined) return release(begun, CREATION_PAUSE_MS);
    try {
      if (!(await finishCreation(processor, processor.create, begun, context))) return;
    } catch (error) {
      return reportError(context, "create-resource", error);
    }
    await announcer.announce(begun.begun.operation);
  }

  async function settle({ lease, begun: { operation } }: BegunAttempt, ending: Ending): Promise<void> {
    const { settlement } = ending;
    const settled = await traced(
      settleChannel,
      () => aboutAttempt(operation),
      () => settledAs(lease, operation, ending, context),
      (result) => ({ outcome: outcomeOf(ending, result) }),
    );
    report(operation, ending, outcomeOf(ending, settled));
    if (settled?.outcome !== "settled") return;
    if (settled.state === "failed")
      await processors.get(operation.definition)?.failed?.(operation, ending.error);
    if (settlement?.to === "retry" && settlement.delayMs <= MAX_AWAITED_DELAY_MS)
      void announceAfter(operation, settlement.delayMs);
  }

  /** Reports the end of an attempt to the observer, and the end of its operation to the estimate. */
  function report(operation: Operation, ending: Ending, outcome: AttemptOutcome): void {
    if (outcome === "completed" || outcome === "failed") estimate?.ended(operation, runtime.clock.now());
    observe(eventOf(operation, outcome, ending));
  }

  /** Ends an attempt that has not started, without counting it, so that another worker can take the operation. */
  function release(begun: BegunAttempt, delayMs: number): Promise<void> {
    return settle(begun, { settlement: { to: "retry", delayMs, countAttempt: false, started: false } });
  }

  /** Announces an operation when it is due. The sweep would do it too, but only at its next interval. */
  async function announceAfter(operation: Operation, delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(delayMs, runtime.clock, draining);
    if (delayMs === 0 || !draining.raised) await announcer.announce(operation);
  }
}

function endOfProcess({ settlement, error }: Ending): Partial<ProcessMessage> {
  return { outcome: settlement?.to ?? "lost", error };
}

function eventOf(operation: Operation, outcome: AttemptOutcome, { settlement, error }: Ending): ServiceEvent {
  if (outcome === "completed") return endEvent("operation.completed", operation);
  if (outcome === "failed") return { ...endEvent("operation.failed", operation), error };
  if (outcome === "released") return attemptEvent("operation.released", operation);
  if (outcome === "lost") return attemptEvent("attempt.lost", operation);
  const { delayMs } = settlement as Extract<Settlement, { readonly to: "retry" }>;
  return { ...attemptEvent("operation.retried", operation), delayMs, error };
}

/** Returns how an attempt ended, from the store's answer to its settlement. */
function outcomeOf({ settlement }: Ending, settled: SettleResult | undefined): AttemptOutcome {
  if (settled?.outcome !== "settled") return "lost";
  if (isTerminal(settled.state)) return settled.state;
  return settlement?.to === "retry" && settlement.lastError !== undefined ? "retried" : "released";
}

/**
 * Settles an attempt unless it already is. If the store refuses the ending, settles it with another one. Resolves to undefined if
 * there is nothing to settle, if the store refuses every ending, or if the worker had to stop first. Then the lease expires and
 * the sweep takes over.
 */
async function settledAs(
  lease: Lease,
  operation: Operation,
  { settlement, settled }: Ending,
  context: WorkerContext,
): Promise<SettleResult | undefined> {
  if (settled !== undefined || settlement === undefined) return settled;
  const result = await settleOnce(lease, settlement, context);
  if (result !== "refused") return result;
  for (const other of insteadOf(settlement, operation)) {
    const otherResult = await settleOnce(lease, other, context);
    if (otherResult !== "refused") return otherResult;
  }
  return undefined;
}

/**
 * Settles an attempt, and keeps retrying while the store is unavailable, so that finished work is not done again. Resolves to
 * undefined if the worker had to stop first.
 */
async function settleOnce(
  lease: Lease,
  settlement: Settlement,
  context: WorkerContext,
): Promise<SettleResult | "refused" | undefined> {
  const { backend, runtime, stopping } = context;
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
    try {
      return await backend.operations.settle(lease, settlement);
    } catch (error) {
      reportError(context, "settle", error);
      if (isRefused(error)) return "refused";
      if (stopping.raised) return undefined;
      await sleep(delayMs, runtime.clock, stopping);
    }
  }
}

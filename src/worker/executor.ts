import type { Operation } from "../contract/operation.js";
import { type Announcement, parseAnnouncement } from "../ports/announcement.js";
import type { BegunAttempt, Delivery } from "../ports/queue.js";
import { finishCreation } from "./attempt/finish-creation.js";
import { runAttempt } from "./attempt/run-attempt.js";
import { eventAbout, reportError, type WorkerContext } from "./context.js";
import { sleep } from "./latch.js";
import type { CheckedProcessor } from "./processors.js";
import { type Ending, exhausted } from "./settle/ending.js";
import { report, tracedAttempt, tracedSettlement } from "./settle/report.js";
import { settleReliably } from "./settle/settle-reliably.js";

/** Minimum delay of a suspect that a queue should not have begun. Full jitter alone could be no delay at all. */
const SUSPECT_PAUSE_MS = 1_000;
/** Delay after which a worker that cannot create the resource of an operation offers it again. */
const CREATION_PAUSE_MS = 30_000;
/** The sweep announces operations with longer delays, so that no timer and no operation stays in memory for hours. */
const MAX_AWAITED_DELAY_MS = 60_000;

/**
 * Creates the function that handles one delivery, from receipt to settlement. A failing operation never affects
 * others.
 */
export function createExecutor(context: WorkerContext): (delivery: Delivery) => Promise<void> {
  const { processors, backend, runtime, settings, announcer, observe, suspects, draining } = context;
  // Other workers can take what waits here, before the sweep finds it.
  draining.onRaise(() => {
    for (const { operationId, definition } of suspects.takeAll())
      void announcer.announce({ id: operationId, definition });
  });

  return async (delivery) => {
    if (delivery.attempt !== undefined) return handle(delivery.attempt);
    const { attempt, answered } = await beginAttempt(delivery);
    suspects.answered(delivery.announcement);
    // The work does not wait for the queue.
    await Promise.all([answered, attempt && handle(attempt, delivery.announcement)]);
  };

  async function handle(attempt: BegunAttempt, announcement?: Announcement): Promise<void> {
    const { operation, previousLost } = attempt.begun;
    const processor = processors.get(operation.definition);
    if (processor === undefined || draining.raised) return release(attempt, 0);
    if (!previousLost) return execute(processor, attempt);
    const ended = suspects.begin(operation, processor.settings);
    if (ended === undefined) return postpone(processor, attempt, announcement);
    try {
      await execute(processor, attempt);
    } finally {
      ended();
    }
  }

  /** Releases a suspect until it may begin. */
  function postpone(
    { settings: { backoffMs } }: CheckedProcessor,
    attempt: BegunAttempt,
    announcement: Announcement | undefined,
  ): Promise<void> {
    // A queue that begins attempts itself would begin it again at once.
    if (announcement === undefined)
      return release(attempt, SUSPECT_PAUSE_MS + backoffMs(attempt.begun.operation.attempt));
    suspects.wait(announcement);
    return release(attempt, 0);
  }

  /**
   * Begins the attempt, and acks the delivery as soon as the store has answered. From then on the lease protects the
   * work. `answered` resolves when the queue has the ack or nack.
   */
  async function beginAttempt(
    delivery: Delivery,
  ): Promise<{ attempt?: BegunAttempt; answered: Promise<unknown> }> {
    const announcement = readAnnouncement(delivery);
    if (announcement === undefined || suspects.isWaiting(announcement))
      return { answered: quietly("ack", delivery.ack()) };
    const { operationId, definition } = announcement;
    const token = runtime.newToken();
    const processor = processors.get(definition);
    const { leaseMs } = processor?.settings ?? settings;
    const creates = processor?.create !== undefined;
    const begun = await quietly(
      "begin",
      backend.operations.beginAttempt(operationId, { token, leaseMs, creates }),
    );
    // An operation whose resource does not exist yet needs a worker that can create it, so the queue redelivers it.
    const redeliver = begun === undefined || begun.outcome === "preparing";
    const answered = redeliver ? quietly("nack", delivery.nack()) : quietly("ack", delivery.ack());
    return begun?.outcome === "begun"
      ? { attempt: { lease: { operationId, token }, begun }, answered }
      : { answered };
  }

  /** Returns undefined for a malformed message. It is acked, because it would be malformed next time too. */
  function readAnnouncement({ announcement }: Delivery): Announcement | undefined {
    try {
      return parseAnnouncement(announcement);
    } catch (error) {
      reportError(context, "read-announcement", error);
      return undefined;
    }
  }

  async function execute(processor: CheckedProcessor, begun: BegunAttempt): Promise<void> {
    const { operation } = begun.begun;
    if (operation.state === "preparing") return finishCreating(processor, begun);
    const begins = operation.attempt <= processor.settings.maxAttempts;
    if (begins) observe({ event: "operation.started", ...eventAbout(operation) });
    const run = (): Promise<Ending> => runAttempt(processor, begun, context);
    await finish(begun, begins ? await tracedAttempt(operation, run) : exhausted(processor.settings));
  }

  async function finishCreating(processor: CheckedProcessor, begun: BegunAttempt): Promise<void> {
    // A queue that begins attempts itself might not know which workers can create resources.
    if (processor.create === undefined) return release(begun, CREATION_PAUSE_MS);
    const finished = finishCreation(processor, processor.create, begun, context);
    if ((await quietly("create-resource", finished)) === true)
      await announcer.announce(begun.begun.operation);
  }

  async function finish({ lease, begun: { operation } }: BegunAttempt, ending: Ending): Promise<void> {
    const { settlement } = ending;
    const settled = await tracedSettlement(
      operation,
      ending,
      async () => ending.settled ?? (settlement && settleReliably(lease, settlement, context)),
    );
    report(context, operation, ending, settled);
    if (settled?.outcome === "settled" && settled.state === "failed")
      await processors.get(operation.definition)?.failed?.(operation, ending.error);
    if (settlement?.to !== "retry" || settled?.outcome !== "settled") return;
    if (settlement.delayMs <= MAX_AWAITED_DELAY_MS) void announceAfter(operation, settlement.delayMs);
  }

  /** Ends an attempt without counting it, so that another worker can take the operation. */
  function release(begun: BegunAttempt, delayMs: number): Promise<void> {
    return finish(begun, { settlement: { to: "retry", delayMs, countAttempt: false } });
  }

  /** Announces an operation when it is due. The sweep would do it too, but only at its next interval. */
  async function announceAfter(operation: Operation, delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(delayMs, runtime.clock, draining);
    if (delayMs === 0 || !draining.raised) await announcer.announce(operation);
  }

  async function quietly<T>(step: string, work: Promise<T>): Promise<T | undefined> {
    return work.catch((error: unknown) => {
      reportError(context, step, error);
      return undefined;
    });
  }
}

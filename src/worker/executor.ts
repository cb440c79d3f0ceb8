import type { Operation } from "../contract/operation.js";
import { type Announcement, parseAnnouncement } from "../ports/announcement.js";
import type { BegunAttempt, Delivery } from "../ports/queue.js";
import { finishCreation } from "./attempt/finish-creation.js";
import { runAttempt } from "./attempt/run-attempt.js";
import { reportError, type WorkerContext } from "./context.js";
import { sleep } from "./latch.js";
import type { CheckedProcessor } from "./processors.js";
import { type Ending, exhausted } from "./settle/ending.js";
import { report } from "./settle/report.js";
import { settleReliably } from "./settle/settle-reliably.js";

/** At least so long an operation waits that may not run beside another: full jitter alone could be no pause at all. */
const SUSPECT_PAUSE_MS = 1_000;
/** How long a worker that cannot create a resource leaves its operation to others. */
const CREATION_PAUSE_MS = 30_000;

/** Creates the function that handles one delivery, from receipt to settlement. A failing operation never affects others. */
export function createExecutor(context: WorkerContext): (delivery: Delivery) => Promise<void> {
  const { processors, backend, runtime, settings, announcer, observe, draining } = context;
  // An operation whose last attempt was lost may have taken its process down. One of them at a time, so that the one
  // that does it again takes none of the others with it.
  let suspectRunning = false;

  return async (delivery) => {
    const attempt = delivery.attempt ?? (await beginAttempt(delivery));
    if (attempt === undefined) return;
    const { operation, previousLost } = attempt.begun;
    const processor = processors.get(operation.definition);
    if (processor === undefined || draining.raised) return giveBack(attempt, 0);
    if (!previousLost) return execute(processor, attempt);
    if (suspectRunning)
      return giveBack(attempt, SUSPECT_PAUSE_MS + processor.settings.backoffMs(operation.attempt));
    suspectRunning = true;
    try {
      await execute(processor, attempt);
    } finally {
      suspectRunning = false;
    }
  };

  /** Acks as soon as the store has answered: from then on the lease guards the attempt. */
  async function beginAttempt(delivery: Delivery): Promise<BegunAttempt | undefined> {
    const announcement = readAnnouncement(delivery);
    if (announcement === undefined) return quietly("ack", delivery.ack()).then(() => undefined);
    const { operationId, definition } = announcement;
    const token = runtime.newToken();
    const processor = processors.get(definition);
    const { leaseMs } = processor?.settings ?? settings;
    const creates = processor?.create !== undefined;
    const begun = await quietly(
      "begin",
      backend.operations.beginAttempt(operationId, { token, leaseMs, creates }),
    );
    // An operation whose resource is still to be created needs another worker, which the announcement may reach.
    const goesBack = begun === undefined || begun.outcome === "preparing";
    await (goesBack ? quietly("nack", delivery.nack()) : quietly("ack", delivery.ack()));
    return begun?.outcome === "begun" ? { lease: { operationId, token }, begun } : undefined;
  }

  /** What is no announcement will be none the next time either. */
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
    const { id: operationId, definition, attempt } = operation;
    if (operation.state === "preparing") return finishCreating(processor, begun);
    const begins = attempt <= processor.settings.maxAttempts;
    if (begins) observe({ event: "operation.started", operationId, definition, attempt });
    await finish(begun, begins ? await runAttempt(processor, begun, context) : exhausted(processor.settings));
  }

  async function finishCreating(processor: CheckedProcessor, begun: BegunAttempt): Promise<void> {
    // A queue that begins attempts itself may not know which workers create.
    if (processor.create === undefined) return giveBack(begun, CREATION_PAUSE_MS);
    const finished = finishCreation(processor, processor.create, begun, context);
    if ((await quietly("create-resource", finished)) === true)
      await announcer.announce(begun.begun.operation);
  }

  async function finish({ lease, begun: { operation } }: BegunAttempt, ending: Ending): Promise<void> {
    const { settlement } = ending;
    const settled = ending.settled ?? (settlement && (await settleReliably(lease, settlement, context)));
    report(context, operation, ending, settled);
    if (settlement?.to !== "retry" || settled?.outcome !== "settled") return;
    void announceAfter(operation, settlement.delayMs);
  }

  function giveBack(begun: BegunAttempt, delayMs: number): Promise<void> {
    return finish(begun, { settlement: { to: "retry", delayMs, countAttempt: false } });
  }

  /** The sweep would find it too, but only at its next turn. */
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

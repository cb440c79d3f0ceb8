import { parseAnnouncement } from "../core/announcement.js";
import type { Operation } from "../core/operation.js";
import type { BegunAttempt, Delivery } from "../ports/queue.js";
import { type Ending, exhausted, runAttempt, type Work } from "./attempt.js";
import type { WorkerContext } from "./context.js";
import { finishCreation } from "./finish-creation.js";
import { sleep } from "./latch.js";
import { report } from "./report.js";
import { settleReliably } from "./settle.js";

/** At least so long an operation waits that may not run beside another: full jitter alone could be no pause at all. */
const SUSPECT_PAUSE_MS = 1_000;

/**
 * Makes the function that deals with one delivery from receipt to settlement. It never rejects: an operation that misbehaves
 * is that operation's affair.
 */
export function createExecutor(options: WorkerContext): (delivery: Delivery) => Promise<void> {
  const { works, backend, runtime, settings, announcer, observe, draining, stopping } = options;
  const { operations } = backend;
  const { clock } = runtime;
  const onError = (step: string, error: unknown): void =>
    observe({ event: "background.failed", step, error });
  const supervised = { operations, backend, clock, settings, stopping, onError };
  // An operation whose last attempt was lost may have taken its process down. One of them at a time, so that the one
  // that does it again takes none of the others with it.
  let suspectRunning = false;

  return async (delivery) => {
    const attempt = delivery.attempt ?? (await beginAttempt(delivery));
    if (attempt === undefined) return;
    const { operation, previousLost } = attempt.begun;
    const work = works.get(operation.definition);
    if (work === undefined || draining.raised) return giveBack(attempt, 0);
    if (!previousLost) return execute(work, attempt);
    if (suspectRunning) return giveBack(attempt, SUSPECT_PAUSE_MS + settings.backoffMs(operation.attempt));
    suspectRunning = true;
    await execute(work, attempt);
    suspectRunning = false;
  };

  /** Acks as soon as the store has answered, whatever it said: from then on the lease guards the attempt. */
  async function beginAttempt(delivery: Delivery): Promise<BegunAttempt | undefined> {
    const operationId = readAnnouncement(delivery);
    if (operationId === undefined) return quietly("ack", delivery.ack()).then(() => undefined);
    const token = runtime.newToken();
    const begun = await quietly(
      "begin",
      operations.beginAttempt(operationId, { token, leaseMs: settings.leaseMs }),
    );
    await (begun === undefined ? quietly("nack", delivery.nack()) : quietly("ack", delivery.ack()));
    return begun?.outcome === "begun" ? { lease: { operationId, token }, begun } : undefined;
  }

  /** What is no announcement will be none the next time either. */
  function readAnnouncement({ announcement }: Delivery): string | undefined {
    try {
      return parseAnnouncement(announcement).operationId;
    } catch (error) {
      onError("read-announcement", error);
      return undefined;
    }
  }

  async function execute(work: Work, { lease, begun: { operation } }: BegunAttempt): Promise<void> {
    const { id: operationId, definition, attempt } = operation;
    if (operation.state === "preparing") {
      const created = await quietly("create-resource", finishCreation(work, operation, lease, options));
      if (created === true) await announcer.announce(operation);
      return;
    }
    const begins = attempt <= settings.maxAttempts;
    if (begins) observe({ event: "operation.started", operationId, definition, attempt });
    const ending = begins ? await runAttempt(work, operation, lease, supervised) : exhausted(settings);
    await finish(operation, lease, ending);
  }

  async function finish(operation: Operation, lease: BegunAttempt["lease"], ending: Ending): Promise<void> {
    const { settlement } = ending;
    const settled = ending.settled ?? (settlement && (await settleReliably(lease, settlement, supervised)));
    report(options, operation, ending, settled);
    if (settlement?.to !== "retry" || settled?.outcome !== "settled") return;
    void announceAfter(operation, settlement.delayMs);
  }

  async function giveBack({ lease, begun: { operation } }: BegunAttempt, delayMs: number): Promise<void> {
    await finish(operation, lease, { settlement: { to: "retry", delayMs, countAttempt: false } });
  }

  /** The sweep would find it too, but only at its next turn. */
  async function announceAfter(operation: Operation, delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(delayMs, clock, draining);
    if (delayMs === 0 || !draining.raised) await announcer.announce(operation);
  }

  async function quietly<T>(step: string, work: Promise<T>): Promise<T | undefined> {
    return work.catch((error: unknown) => {
      onError(step, error);
      return undefined;
    });
  }
}

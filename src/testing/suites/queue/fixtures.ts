import { type Announcement, announce } from "../../../core/announcement.js";
import type { Delivery, Queue, ReceiveRequest } from "../../../ports/queue.js";
import { createSystemRuntime } from "../../../ports/system-runtime.js";
import { ok } from "../../expect.js";
import { turn } from "../../turn.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** Gives the cases of `queueCases` queues to work on. */
export interface QueueHarness extends PortHarness<Queue> {
  /** How long the queue may take to deliver what was published, nacked, or published again. */
  readonly deliversWithinMs: number;
  /** Where the queue is the store itself: makes the operation of an announcement exist, and due. */
  prepare?(queue: Queue, announcement: Announcement): Promise<void>;
}

export type QueueCheck = PortCheck<Queue, QueueHarness>;

const runtime = createSystemRuntime();

export function newAnnouncement(definition = "orders", id: string = runtime.newId()): Announcement {
  return announce({ id, definition }, runtime.newToken());
}

/** Publishes new announcements of these definitions, in one call. */
export async function publish(
  queue: Queue,
  harness: QueueHarness,
  definitions: readonly string[],
): Promise<readonly Announcement[]> {
  const announcements = definitions.map((definition) => newAnnouncement(definition));
  for (const announcement of announcements) await harness.prepare?.(queue, announcement);
  await queue.publish(announcements);
  return announcements;
}

/** A call of `receive` that a case can wait for and end. */
export interface Receiving {
  /** Resolves when `count` deliveries are there, or the queue has had time enough; ends the call either way. */
  gather(count: number): Promise<readonly Delivery[]>;
}

export type Request = Omit<ReceiveRequest, "signal" | "leaseMs">;

const LEASE_MS = 60_000;

/** Calls `receive` again and again, as a worker does. */
export function startReceiving(
  queue: Queue,
  harness: QueueHarness,
  request: Partial<Request> = {},
): Receiving {
  const aborter = new AbortController();
  const gathered: Delivery[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let enough: () => void = () => {};
  const loop = async (): Promise<void> => {
    while (!aborter.signal.aborted) {
      const received = await receive(queue, aborter.signal, request);
      gathered.push(...received);
      if (gathered.length >= wanted) enough();
      // A queue may prefer to be asked again: that must not keep everything else from running.
      await turn();
    }
  };
  const looping = loop();
  // What goes wrong before anybody waits for it is told to whoever gathers.
  looping.catch(() => {});
  return {
    gather: async (count) => {
      wanted = count;
      const all = new Promise<void>((resolve) => {
        enough = resolve;
      });
      // The time of a delivery counts anew from each that came.
      for (let before = -1; gathered.length < count && gathered.length > before; ) {
        before = gathered.length;
        await Promise.race([all, looping, harness.passTime(harness.deliversWithinMs)]);
      }
      const inTime = gathered.length;
      aborter.abort();
      await endsInTime(looping, harness, "a call of `receive` whose signal was aborted");
      const late = gathered.length - inTime;
      ok(inTime >= count || late === 0, `${late} deliveries came only when the signal was aborted`);
      return gathered;
    },
  };
}

/** Receives until `count` deliveries are there or the queue has had time enough. */
export function gather(
  queue: Queue,
  harness: QueueHarness,
  count: number,
  request: Partial<Request> = {},
): Promise<readonly Delivery[]> {
  return startReceiving(queue, harness, request).gather(count);
}

/** Receives as long as the queue may take, and sees that nothing comes. */
export async function gatherNothing(queue: Queue, harness: QueueHarness, what: string): Promise<void> {
  const received = await gather(queue, harness, 1);
  ok(received.length === 0, `${what}: expected no delivery, got ${JSON.stringify(idsOf(received))}`);
}

export async function receive(
  queue: Queue,
  signal: AbortSignal,
  request: Partial<Request> = {},
): Promise<readonly Delivery[]> {
  const asked = { definitions: ["orders"], limit: 100, leaseMs: LEASE_MS, ...request, signal };
  const received = await queue.receive(asked);
  const count = received.length;
  ok(count <= asked.limit, `receive returns at most its limit of ${asked.limit} deliveries, not ${count}`);
  return received;
}

/** Waits for something that must end within the time of a delivery. */
export async function endsInTime<T>(promise: Promise<T>, harness: QueueHarness, what: string): Promise<T> {
  const late = harness.passTime(harness.deliversWithinMs).then(() => {
    throw new Error(`${what} did not end within ${harness.deliversWithinMs} ms`);
  });
  return Promise.race([promise, late]);
}

/** The ids of announcements or of what was delivered, in their own order. */
export function idsOf(items: readonly (Announcement | Delivery)[]): string[] {
  return items.map((item) => ("announcement" in item ? item.announcement.id : item.id)).sort();
}

/** Acks what was delivered, as a worker does: what brings its attempt along has done its duty. */
export async function ackAll(deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) if (delivery.attempt === undefined) await delivery.ack();
}

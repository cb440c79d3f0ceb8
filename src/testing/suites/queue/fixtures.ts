import type { NewOperation } from "../../../contract/operation.js";
import { type Announcement, announce } from "../../../ports/announcement.js";
import type { Consumer, Delivery, Queue } from "../../../ports/queue.js";
import { createSystemRuntime } from "../../../ports/system-runtime.js";
import { nextTurn } from "../../../ports/waits.js";
import { ok } from "../../expect.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** Members of an operation that decide when it is delivered. */
export type PreparedMembers = Partial<
  Pick<NewOperation, "tenant" | "urgency" | "lane" | "delayMs" | "startWithinMs">
>;

/** Creates queues for `queueCases`. */
export interface QueueHarness extends PortHarness<Queue> {
  /** Maximum time until the queue delivers an announcement that was published, nacked or republished. Milliseconds. */
  readonly deliversWithinMs: number;
  /**
   * Creates the operation of an announcement, due at once unless `members` have a `delayMs`. Needed if the queue reads
   * deliveries or tenants from the store. Default tenant: `a`.
   */
  prepare?(queue: Queue, announcement: Announcement, members?: PreparedMembers): Promise<void>;
}

export type QueueCheck = PortCheck<Queue, QueueHarness>;

const runtime = createSystemRuntime();

/** Creates a token for a call to `receive`. */
export const newToken = (): string => runtime.newToken();

export function newAnnouncement(definition = "orders", id: string = runtime.newId()): Announcement {
  return announce({ id, definition }, runtime.newToken());
}

/** Publishes new announcements of these definitions in one call. */
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

/** A call to `receive` that a case can wait for and end. */
export interface Receiving {
  /** Number of deliveries so far. */
  readonly received: number;
  /**
   * Resolves when `count` deliveries have arrived or the queue has had enough time. Both end the call. The consumer closes when
   * all of them are answered.
   */
  gather(count: number): Promise<readonly Delivery[]>;
}

/** Options of a `receive` call. */
export interface Request {
  readonly definitions?: readonly string[];
  readonly limit?: number;
  /** Free slots by definition. Default: `limit` for each. */
  readonly slots?: ReadonlyMap<string, number>;
  readonly token?: string;
  /** Definitions of which an operation may begin whose last attempt was lost. Default: all. */
  readonly suspects?: ReadonlySet<string>;
}

const LEASE_MS = 60_000;
/** More than any case publishes. */
const MANY = 1_000;

/** Opens a consumer of these definitions, with slots for everything that a case publishes. */
export function consume(
  queue: Queue,
  definitions: readonly string[] = ["orders"],
  leaseMs: number = LEASE_MS,
): Consumer {
  const consumed = definitions.map((name) => ({ name, concurrency: MANY, leaseMs }));
  return queue.consume({ definitions: consumed });
}

/** Calls `receive` in a loop, as a worker does. */
export function startReceiving(queue: Queue, harness: QueueHarness, request: Request = {}): Receiving {
  const aborter = new AbortController();
  const consumer = consume(queue, request.definitions);
  const gathered: Delivery[] = [];
  let wanted = Number.POSITIVE_INFINITY;
  let enough: () => void = () => {};
  const loop = async (): Promise<void> => {
    while (!aborter.signal.aborted) {
      const received = await receive(consumer, aborter.signal, request);
      gathered.push(...received);
      if (gathered.length >= wanted) enough();
      // A queue may return immediately without deliveries. That must not block other tasks.
      await nextTurn();
    }
  };
  const looping = loop();
  // An early failure is reported by `gather`.
  looping.catch(() => {});
  return {
    get received() {
      return gathered.length;
    },
    gather: async (count) => {
      wanted = count;
      const all = new Promise<void>((resolve) => {
        enough = resolve;
      });
      // Each delivery restarts the time limit.
      for (let before = -1; gathered.length < count && gathered.length > before; ) {
        before = gathered.length;
        await Promise.race([all, looping, harness.passTime(harness.deliversWithinMs)]);
      }
      const inTime = gathered.length;
      aborter.abort();
      await endsInTime(looping, harness, "a call to `receive` whose signal was aborted");
      const late = gathered.length - inTime;
      ok(inTime >= count || late === 0, `${late} deliveries came only when the signal was aborted`);
      return closingWithLast(consumer, gathered);
    },
  };
}

/**
 * Closes a consumer as soon as its deliveries are answered, as a worker does: the queue may return the others to other
 * consumers.
 */
async function closingWithLast(
  consumer: Consumer,
  deliveries: readonly Delivery[],
): Promise<readonly Delivery[]> {
  const open = new Set(deliveries.filter(({ attempt }) => attempt === undefined));
  if (open.size === 0) await consumer.close();
  const answer = async (delivery: Delivery, how: "ack" | "nack"): Promise<void> => {
    await delivery[how]();
    if (open.delete(delivery) && open.size === 0) await consumer.close();
  };
  return deliveries.map((delivery) =>
    open.has(delivery)
      ? {
          announcement: delivery.announcement,
          ack: () => answer(delivery, "ack"),
          nack: () => answer(delivery, "nack"),
        }
      : delivery,
  );
}

/** Receives until `count` deliveries have arrived or the queue has had enough time. */
export function gather(
  queue: Queue,
  harness: QueueHarness,
  count: number,
  request: Request = {},
): Promise<readonly Delivery[]> {
  return startReceiving(queue, harness, request).gather(count);
}

/** Waits for the maximum delivery time and checks that no delivery arrives. */
export async function gatherNothing(queue: Queue, harness: QueueHarness, what: string): Promise<void> {
  const received = await gather(queue, harness, 1);
  ok(received.length === 0, `${what}: expected no delivery, got ${JSON.stringify(idsOf(received))}`);
}

/** Makes one call to `receive`. Default: room for 100 deliveries of `orders`, and a new token. */
export async function receive(
  consumer: Consumer,
  signal: AbortSignal,
  { definitions = ["orders"], limit = 100, slots, token = newToken(), suspects }: Request = {},
): Promise<readonly Delivery[]> {
  const free = slots ?? new Map(definitions.map((name) => [name, limit]));
  const request = { slots: free, limit, token, signal };
  const received = await consumer.receive(suspects === undefined ? request : { ...request, suspects });
  const count = received.length;
  ok(count <= limit, `expected at most ${limit} deliveries, the limit of \`receive\`, got ${count}`);
  for (const [name, most] of free) {
    const ofName = received.filter(({ announcement }) => announcement.definition === name).length;
    ok(ofName <= most, `expected at most ${most} deliveries of ${name}, got ${ofName}`);
  }
  return received;
}

/** Waits for a promise that must settle within the delivery time. */
export async function endsInTime<T>(promise: Promise<T>, harness: QueueHarness, what: string): Promise<T> {
  const late = harness.passTime(harness.deliversWithinMs).then(() => {
    throw new Error(`${what} did not end within ${harness.deliversWithinMs} ms`);
  });
  return Promise.race([promise, late]);
}

/** Returns the ids of announcements or of the announcements in deliveries, sorted. */
export function idsOf(items: readonly (Announcement | Delivery)[]): string[] {
  return items.map((item) => ("announcement" in item ? item.announcement.id : item.id)).sort();
}

/** Acks deliveries as a worker does. A delivery that carries an attempt needs no ack. */
export async function ackAll(deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) if (delivery.attempt === undefined) await delivery.ack();
}

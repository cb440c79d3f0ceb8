import type { Announcement } from "../../../ports/announcement.js";
import type { Consumer, Queue } from "../../../ports/queue.js";
import { deepEqual, equal } from "../../expect.js";
import {
  ackAll,
  consume,
  newAnnouncement,
  type PreparedMembers,
  type QueueCheck,
  type QueueHarness,
  receive,
} from "./fixtures.js";

export const turnChecks: readonly QueueCheck[] = [
  {
    rule: "turns.newcomer",
    name: "gives the next turn to a tenant who comes after the backlog of another one",
    needs: ["turns"],
    check: async (queue, _, harness) => {
      const work = new Work(queue, harness);
      await work.add(200, { tenant: "flood" });
      const consumer = consume(queue);
      await work.take(consumer, 10);
      await work.add(1, { tenant: "b" });
      deepEqual(counts(await work.take(consumer, 10)), { flood: 9, b: 1 }, "the tenants of the next call");
    },
  },
  {
    rule: "turns.round",
    name: "gives every tenant a turn before any tenant gets a second one",
    needs: ["turns"],
    check: async (queue, _, harness) => {
      const work = new Work(queue, harness);
      const tenants = Array.from({ length: 20 }, (_, index) => `tenant ${index}`);
      for (const tenant of tenants) await work.add(5, { tenant });
      const consumer = consume(queue);
      const first: string[] = [];
      for (let call = 0; call < 5; call += 1) first.push(...(await work.take(consumer, 4)));
      deepEqual([...first].sort(), [...tenants].sort(), "the tenants of the first 20 deliveries");
    },
  },
  {
    rule: "turns.alone",
    name: "gives all slots to a tenant if no other tenant has due work",
    needs: ["turns"],
    check: async (queue, _, harness) => {
      const work = new Work(queue, harness);
      await work.add(30, { tenant: "a" });
      await work.add(1, { tenant: "b" });
      const consumer = consume(queue);
      deepEqual(counts(await work.take(consumer, 20)), { a: 19, b: 1 }, "the tenants of the first call");
      deepEqual(counts(await work.take(consumer, 20)), { a: 11 }, "the tenants of the second call");
    },
  },
  {
    rule: "turns.oldest",
    name: "delivers the oldest work of each tenant first",
    needs: ["turns"],
    check: async (queue, { unitMs, pass }, harness) => {
      const work = new Work(queue, harness);
      const old = await work.add(3, { tenant: "b" });
      await pass(unitMs);
      await work.add(3, { tenant: "b" });
      await work.add(6, { tenant: "a" });
      const consumer = consume(queue);
      const received = [...(await work.ids(consumer, 4)), ...(await work.ids(consumer, 2))];
      const early = received.filter((id) => old.some((each) => each.operationId === id));
      equal(early.length, 3, "number of old operations of tenant b among its first three");
    },
  },
  {
    rule: "turns.urgent",
    name: "delivers more urgent work first, of any tenant",
    needs: ["turns"],
    check: async (queue, _, harness) => {
      const work = new Work(queue, harness);
      await work.add(10, { tenant: "a", urgency: 7 });
      await work.add(10, { tenant: "a" });
      // More than the share of one tenant, and less than that of the other.
      const urgent = [
        ...(await work.add(3, { tenant: "a", urgency: 0 })),
        ...(await work.add(1, { tenant: "b", urgency: 0 })),
      ];
      const consumer = consume(queue);
      deepEqual(
        [...(await work.ids(consumer, 4))].sort(),
        urgent.map(({ operationId }) => operationId).sort(),
        "the operations of the first call",
      );
      const next = await work.urgencies(consumer, 12);
      deepEqual(next, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7], "the urgencies of the second call");
    },
  },
  {
    rule: "turns.later",
    name: "delivers due work in every call, however many tenants have only work that is due later",
    needs: ["turns"],
    check: async (queue, _, harness) => {
      const work = new Work(queue, harness);
      for (let index = 0; index < 60; index += 1)
        await work.add(1, { tenant: `later ${index}`, delayMs: 3_600_000 });
      await work.add(6, { tenant: "a" });
      await work.add(1, { tenant: "z" });
      const consumer = consume(queue);
      for (let call = 0; call < 3; call += 1)
        equal((await work.take(consumer, 2)).length, 2, `number of deliveries of call ${call + 1}`);
    },
  },
  {
    rule: "turns.reached",
    name: "soon gives a turn to a tenant whom tenants with only later work precede",
    needs: ["turns"],
    check: async (queue, _, harness) => {
      const work = new Work(queue, harness);
      for (let index = 0; index < 60; index += 1)
        await work.add(1, { tenant: `later ${index}`, delayMs: 3_600_000 });
      await work.add(60, { tenant: "flood" });
      await work.add(1, { tenant: "z" });
      const consumer = consume(queue);
      const first: string[] = [];
      // If each call passes at least 16 tenants without due work, five calls pass all of them, wherever the first begins.
      for (let call = 0; call < 6; call += 1) first.push(...(await work.take(consumer, 4)));
      deepEqual(counts(first), { flood: 23, z: 1 }, "the tenants of the first 24 deliveries");
    },
  },
];

/** The work of a case, which knows the tenant and the urgency of each operation. */
class Work {
  readonly #members = new Map<string, PreparedMembers>();
  readonly #queue: Queue;
  readonly #harness: QueueHarness;

  constructor(queue: Queue, harness: QueueHarness) {
    this.#queue = queue;
    this.#harness = harness;
  }

  /** Adds operations of `orders`. */
  async add(count: number, members: PreparedMembers): Promise<readonly Announcement[]> {
    const announcements = Array.from({ length: count }, () => newAnnouncement());
    for (const announcement of announcements) {
      this.#members.set(announcement.operationId, members);
      await this.#harness.prepare?.(this.#queue, announcement, members);
    }
    if (members.delayMs === undefined) await this.#queue.publish(announcements);
    return announcements;
  }

  /** Makes one call with this many slots. Returns the ids of the operations. */
  async ids(consumer: Consumer, slots: number): Promise<readonly string[]> {
    const received = await receive(consumer, AbortSignal.abort(), { limit: slots });
    await ackAll(received);
    return received.map(({ announcement }) => announcement.operationId);
  }

  /** Makes one call with this many slots. Returns the tenants of the operations. */
  async take(consumer: Consumer, slots: number): Promise<readonly string[]> {
    return (await this.ids(consumer, slots)).map((id) => this.#members.get(id)?.tenant ?? "unknown");
  }

  /** Makes one call with this many slots. Returns the urgencies of the operations, sorted. */
  async urgencies(consumer: Consumer, slots: number): Promise<readonly number[]> {
    return (await this.ids(consumer, slots)).map((id) => this.#members.get(id)?.urgency ?? 3).sort();
  }
}

function counts(tenants: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const tenant of tenants) found[tenant] = (found[tenant] ?? 0) + 1;
  return found;
}

import type { RunningLimits } from "../../../ports/claim.js";
import type { Consumer, Delivery, Queue } from "../../../ports/queue.js";
import { deepEqual, equal } from "../../expect.js";
import {
  newAnnouncement,
  newToken,
  type PreparedMembers,
  type QueueCheck,
  type QueueHarness,
  receive,
} from "./fixtures.js";

const MANY = 200;

export const placeChecks: readonly QueueCheck[] = [
  {
    rule: "limits.queue-running",
    name: "delivers as many operations of a definition as `running` allows, in one call",
    needs: ["limits"],
    check: async (queue, _, harness) => {
      await add(queue, harness, 5, { tenant: "a" });
      await add(queue, harness, 5, { tenant: "b" });
      equal((await take(queue, { running: 3 })).length, 3, "number of deliveries");
    },
  },
  {
    rule: "limits.queue-tenant",
    name: "delivers as many operations of each tenant as `runningPerTenant` allows, and passes full tenants",
    needs: ["limits", "turns"],
    check: async (queue, _, harness) => {
      await add(queue, harness, MANY, { tenant: "flood" });
      for (const tenant of ["b", "c"]) await add(queue, harness, 1, { tenant });
      const received = await take(queue, { runningPerTenant: 2 });
      equal(received.length, 4, "number of deliveries: two of the flood, and one each of the others");
    },
  },
  {
    rule: "limits.queue-urgent",
    name: "delivers less urgent work if the more urgent one has no place",
    needs: ["limits", "turns"],
    check: async (queue, _, harness) => {
      await add(queue, harness, MANY, { tenant: "flood", urgency: 0 });
      await add(queue, harness, 1, { tenant: "b", urgency: 7 });
      equal((await take(queue, { runningPerTenant: 1 })).length, 2, "number of deliveries");
    },
  },
  {
    rule: "limits.queue-lost",
    name: "delivers no more operations than there are slots after a lost attempt has lost its place",
    needs: ["limits", "turns", "beginsAttempts"],
    check: async (queue, _, harness) => {
      const { leaseGranularityMs } = harness.capabilities;
      const [urgent] = await add(queue, harness, 1, { tenant: "a", urgency: 0 });
      await add(queue, harness, 1, { tenant: "a", urgency: 7 });
      const limits = { running: 1 };
      const losing = consumeWithin(queue, limits, leaseGranularityMs);
      deepEqual(
        operationsOf(await receive(losing, AbortSignal.abort(), { limit: 1 })),
        [urgent],
        "first call",
      );
      await harness.passTime(2 * leaseGranularityMs);
      const consumer = consumeWithin(queue, limits);
      deepEqual(
        operationsOf(await receive(consumer, AbortSignal.abort(), { limit: 1 })),
        [urgent],
        "second call",
      );
    },
  },
  {
    rule: "lanes.queue",
    name: "delivers one operation of a lane, and passes the others",
    needs: ["lanes"],
    check: async (queue, { pass, unitMs }, harness) => {
      const [first] = await add(queue, harness, 1, { tenant: "a", lane: "long" });
      await pass(unitMs);
      await add(queue, harness, MANY, { tenant: "a", lane: "long" });
      const [other] = await add(queue, harness, 1, { tenant: "a", lane: "short" });
      const received = await take(queue, undefined);
      deepEqual([...operationsOf(received)].sort(), [first, other].sort(), "deliveries");
    },
  },
];

/** Creates operations of `orders` and announces them. Returns their ids. */
async function add(
  queue: Queue,
  harness: QueueHarness,
  count: number,
  members: PreparedMembers,
): Promise<readonly string[]> {
  const announcements = Array.from({ length: count }, () => newAnnouncement());
  for (const announcement of announcements) await harness.prepare?.(queue, announcement, members);
  await queue.publish(announcements);
  return announcements.map(({ operationId }) => operationId);
}

/** Calls until a call returns nothing, as a worker with free slots does. Nothing that was delivered has ended. */
async function take(queue: Queue, limits: RunningLimits | undefined): Promise<readonly Delivery[]> {
  const consumer = consumeWithin(queue, limits);
  const received = await receive(consumer, AbortSignal.abort(), { limit: 10, token: newToken() });
  // A queue that does not begin attempts does not know yet that these run.
  if (received.some(({ attempt }) => attempt === undefined)) return received;
  for (let call = 0; call < 3; call += 1)
    equal(
      (await receive(consumer, AbortSignal.abort(), { limit: 10 })).length,
      0,
      "deliveries of a later call",
    );
  return received;
}

function consumeWithin(queue: Queue, limits: RunningLimits | undefined, leaseMs = 60_000): Consumer {
  return queue.consume({ definitions: [{ name: "orders", concurrency: 2 * MANY, leaseMs, limits }] });
}

function operationsOf(deliveries: readonly Delivery[]): readonly string[] {
  return deliveries.map(({ announcement }) => announcement.operationId);
}

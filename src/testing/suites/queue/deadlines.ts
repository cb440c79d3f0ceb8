import type { RunningLimits } from "../../../ports/claim.js";
import type { Delivery, Queue } from "../../../ports/queue.js";
import { equal } from "../../expect.js";
import type { PortTime } from "../port-case.js";
import { newAnnouncement, type QueueCheck, type QueueHarness, receive } from "./fixtures.js";

/** Number of overdue operations, which is more than the limit of a call. */
const MANY = 30;

export const deadlineChecks: readonly QueueCheck[] = [
  {
    rule: "deadline.queue",
    name: "begins no operation after its deadline, and delivers the others",
    needs: ["deadlines", "beginsAttempts"],
    check: (queue, time, harness) => passesOverdue(queue, time, harness, undefined),
  },
  {
    rule: "deadline.queue-limits",
    name: "begins no operation after its deadline, and delivers the others within limits",
    needs: ["deadlines", "beginsAttempts", "limits"],
    check: (queue, time, harness) => passesOverdue(queue, time, harness, { runningPerTenant: 100 }),
  },
];

async function passesOverdue(
  queue: Queue,
  { unitMs, pass }: PortTime,
  harness: QueueHarness,
  limits: RunningLimits | undefined,
): Promise<void> {
  const add = async (startWithinMs: number, tenant: string): Promise<string> => {
    const announcement = newAnnouncement();
    await harness.prepare?.(queue, announcement, { tenant, startWithinMs });
    await queue.publish([announcement]);
    return announcement.operationId;
  };
  const overdue: string[] = [];
  for (let index = 0; index < MANY; index += 1) overdue.push(await add(unitMs, "a"));
  await pass(unitMs);
  const inTime = [await add(60_000, "a"), await add(60_000, "b")];
  const consumer = queue.consume({
    definitions: [{ name: "orders", concurrency: 2 * MANY, leaseMs: 60_000, limits }],
  });
  const received: Delivery[] = [];
  for (let before = -1; received.length > before; ) {
    before = received.length;
    received.push(...(await receive(consumer, AbortSignal.abort(), { limit: 10 })));
  }
  const begun = received.filter(({ attempt }) => attempt !== undefined);
  equal(countIn(begun, overdue), 0, "number of operations that began after their deadline");
  equal(countIn(received, inTime), inTime.length, "number of operations delivered in time");
}

function countIn(deliveries: readonly Delivery[], ids: readonly string[]): number {
  return ids.filter((id) => deliveries.some(({ announcement }) => announcement.operationId === id)).length;
}

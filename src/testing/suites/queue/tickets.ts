import type { Queue } from "../../../ports/queue.js";
import { deepEqual, equal } from "../../expect.js";
import { deliveryChecks } from "./delivery.js";
import {
  consume,
  endsInTime,
  idsOf,
  newAnnouncement,
  type QueueCheck,
  type QueueHarness,
  receive,
} from "./fixtures.js";
import { placeChecks } from "./places.js";
import { receiveChecks } from "./receive.js";
import { turnChecks } from "./turns.js";

/** Rules of receiving that are not about waiting for announcements. */
const RECEIVING: readonly string[] = ["receive.definitions", "receive.limit", "receive.slots"];

const own: readonly QueueCheck[] = [
  {
    rule: "at-once",
    name: "returns nothing at once if nothing is due",
    check: async (queue, _, harness) => {
      equal((await receiveInTime(queue, harness)).length, 0, "number of deliveries");
    },
  },
  {
    rule: "unpublished",
    name: "delivers due work that was never published to this queue",
    check: async (queue, _, harness) => {
      const announcement = newAnnouncement();
      await harness.prepare?.(queue, announcement);
      deepEqual(idsOf(await receiveInTime(queue, harness)), [announcement.id], "deliveries");
    },
  },
];

/** Rules of `consumeByTicket`: its own, and those of `consume` that also hold if a call does not wait. */
export const ticketChecks: readonly QueueCheck[] = [
  ...own,
  ...receiveChecks.filter(({ rule }) => RECEIVING.includes(rule)),
  ...turnChecks,
  ...placeChecks,
  ...deliveryChecks.filter(({ needs = [] }) => needs.includes("beginsAttempts")),
].map(byTicket);

/** Makes a check use consumers by ticket. */
function byTicket({ rule, name, needs = [], check }: QueueCheck): QueueCheck {
  return {
    rule: `tickets.${rule}`,
    name: `by ticket, ${name}`,
    needs: ["consumeByTicket", ...needs],
    check: (queue, time, harness) =>
      check(consumingByTicket(queue), time, {
        ...harness,
        passTime: (ms) => harness.passTime(ms),
        prepare: async (_, announcement, members) => harness.prepare?.(queue, announcement, members),
      }),
  };
}

function consumingByTicket(queue: Queue): Queue {
  return {
    publish: (announcements) => queue.publish(announcements),
    consume: (request) => {
      const consumer = queue.consumeByTicket?.(request);
      if (consumer === undefined)
        throw new Error(
          "The harness declares `consumeByTicket`, but its queue does not have it. Implement it or remove the capability.",
        );
      return consumer;
    },
    close: () => queue.close(),
  };
}

/** Makes one call that may wait. */
async function receiveInTime(queue: Queue, harness: QueueHarness): ReturnType<typeof receive> {
  const aborter = new AbortController();
  try {
    return await endsInTime(receive(consume(queue), aborter.signal), harness, "a `receive` by ticket");
  } finally {
    aborter.abort();
  }
}

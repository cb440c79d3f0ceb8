import { deepEqual, equal, ok } from "../../expect.js";
import {
  ackAll,
  gather,
  gatherNothing,
  idsOf,
  newAnnouncement,
  publish,
  type QueueCheck,
} from "./fixtures.js";

export const deliveryChecks: readonly QueueCheck[] = [
  {
    rule: "delivery.acked",
    name: "does not deliver again what was acked",
    needs: ["standalone"],
    check: async (queue, _, harness) => {
      await publish(queue, harness, ["orders", "orders"]);
      const received = await gather(queue, harness, 2);
      equal(received.length, 2, "how many are delivered");
      await ackAll(received);
      await ackAll(received);
      await gatherNothing(queue, harness, "receiving after the ack");
    },
  },
  {
    rule: "delivery.nacked",
    name: "delivers again what was nacked, until it is acked, and nothing else",
    needs: ["standalone"],
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders", "orders"]);
      const [nacked, ...others] = await gather(queue, harness, 3);
      await ackAll(others);
      let current = nacked;
      for (let round = 0; round < 3; round += 1) {
        await current?.nack();
        const again = await gather(queue, harness, 1);
        deepEqual(idsOf(again), nacked && [nacked.announcement.id], "what is delivered after the nack");
        current = again[0];
      }
      ok(idsOf(published).includes(`${current?.announcement.id}`), "what is nacked was published");
      await current?.ack();
      await gatherNothing(queue, harness, "receiving after the ack");
    },
  },
  {
    rule: "delivery.each",
    name: "delivers every announcement of one operation, told apart by their own ids",
    needs: ["standalone"],
    check: async (queue, _, harness) => {
      const { operationId } = newAnnouncement();
      const first = newAnnouncement("orders", operationId);
      const second = newAnnouncement("orders", operationId);
      await queue.publish([first, second]);
      const received = await gather(queue, harness, 2);
      deepEqual(idsOf(received), idsOf([first, second]), "what is delivered of one batch");
      await ackAll(received);
      const third = newAnnouncement("orders", operationId);
      await queue.publish([third]);
      const later = await gather(queue, harness, 1);
      deepEqual(idsOf(later), idsOf([third]), "what is delivered after the first were acked");
      await ackAll(later);
    },
  },
  {
    rule: "delivery.deduplicated",
    name: "delivers an announcement once that is published twice in a short time",
    needs: ["standalone", "deduplicates"],
    check: async (queue, _, harness) => {
      const announcement = newAnnouncement();
      await queue.publish([announcement]);
      await queue.publish([announcement]);
      const received = await gather(queue, harness, 2);
      deepEqual(idsOf(received), [announcement.id], "what is delivered");
      await ackAll(received);
    },
  },
  {
    rule: "delivery.begun",
    name: "brings the attempt along that the receipt has begun, and nothing more while its lease lives",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders"]);
      const received = await gather(queue, harness, 2);
      deepEqual(idsOf(received), idsOf(published), "what is delivered");
      const tokens = new Set<string | undefined>();
      for (const { announcement, attempt } of received) {
        const { operationId, definition } = announcement;
        equal(attempt?.lease.operationId, operationId, "the operation of the lease");
        equal(attempt?.begun.operation.id, operationId, "the operation of the attempt");
        equal(attempt?.begun.operation.definition, definition, "the definition of the attempt");
        equal(attempt?.begun.operation.attempt, 1, "the number of the attempt");
        tokens.add(attempt?.lease.token);
      }
      equal(tokens.size, 2, "how many different tokens there are");
      await gatherNothing(queue, harness, "receiving while the leases live");
    },
  },
];

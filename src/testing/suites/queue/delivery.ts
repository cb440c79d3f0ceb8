import { deepEqual, equal, ok } from "../../expect.js";
import {
  ackAll,
  consume,
  gather,
  gatherNothing,
  idsOf,
  newAnnouncement,
  newToken,
  publish,
  type QueueCheck,
  receive,
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
      const token = newToken();
      const received = await receive(consume(queue), AbortSignal.abort(), { token });
      deepEqual(idsOf(received), idsOf(published), "what is delivered");
      for (const { announcement, attempt } of received) {
        const { operationId, definition } = announcement;
        equal(attempt?.lease.operationId, operationId, "the operation of the lease");
        equal(attempt?.begun.operation.id, operationId, "the operation of the attempt");
        equal(attempt?.begun.operation.definition, definition, "the definition of the attempt");
        equal(attempt?.begun.operation.attempt, 1, "the number of the attempt");
        equal(attempt?.lease.token, token, "the token of the lease");
      }
      await gatherNothing(queue, harness, "receiving while the leases live");
    },
  },
  {
    rule: "delivery.repeated",
    name: "returns the same attempts when a receipt is repeated by its token, and begins no others",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders", "orders"]);
      const consumer = consume(queue);
      const request = { limit: 2, token: newToken() };
      const first = await receive(consumer, AbortSignal.abort(), request);
      equal(first.length, 2, "how many are delivered");
      const again = await receive(consumer, AbortSignal.abort(), request);
      deepEqual(idsOf(again), idsOf(first), "what the repeated call returns");
      for (const { attempt } of again) {
        equal(attempt?.begun.operation.attempt, 1, "the number of an attempt that is returned again");
        equal(attempt?.begun.previousLost, false, "whether an attempt before it was lost");
        equal(attempt?.lease.token, request.token, "the token of its lease");
      }
      const last = await receive(consumer, AbortSignal.abort());
      deepEqual(idsOf([...again, ...last]), idsOf(published), "what the next call adds");
    },
  },
  {
    rule: "delivery.repeated-empty",
    name: "returns nothing when a receipt is repeated that began nothing, and leaves all to the next one",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const consumer = consume(queue);
      const request = { token: newToken() };
      equal((await receive(consumer, AbortSignal.abort(), request)).length, 0, "what there is at first");
      const published = await publish(queue, harness, ["orders"]);
      const repeated = await receive(consumer, AbortSignal.abort(), request);
      equal(repeated.length, 0, "what the repeated call returns");
      const received = await receive(consumer, AbortSignal.abort());
      deepEqual(idsOf(received), idsOf(published), "what the next call returns");
    },
  },
];

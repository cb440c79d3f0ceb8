import { deepEqual, equal, ok } from "../../expect.js";
import { concurrently } from "../port-case.js";
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
    name: "does not redeliver an acked delivery",
    needs: ["standalone"],
    check: async (queue, _, harness) => {
      await publish(queue, harness, ["orders", "orders"]);
      const received = await gather(queue, harness, 2);
      equal(received.length, 2, "number of deliveries");
      await ackAll(received.slice(0, 1));
      await ackAll(received);
      await gatherNothing(queue, harness, "receiving after the ack");
    },
  },
  {
    rule: "delivery.nacked",
    name: "redelivers a nacked delivery until it is acked, and nothing else",
    needs: ["standalone"],
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders", "orders"]);
      const [nacked, ...others] = await gather(queue, harness, 3);
      await ackAll(others);
      let current = nacked;
      for (let round = 0; round < 3; round += 1) {
        await current?.nack();
        const again = await gather(queue, harness, 1);
        deepEqual(idsOf(again), nacked && [nacked.announcement.id], "deliveries after the nack");
        current = again[0];
      }
      ok(
        idsOf(published).includes(`${current?.announcement.id}`),
        "the nacked delivery should be a published one",
      );
      await current?.ack();
      await gatherNothing(queue, harness, "receiving after the ack");
    },
  },
  {
    rule: "delivery.each",
    name: "delivers every announcement of one operation, distinguished by announcement id",
    needs: ["standalone"],
    check: async (queue, _, harness) => {
      const { operationId } = newAnnouncement();
      const first = newAnnouncement("orders", operationId);
      const second = newAnnouncement("orders", operationId);
      await queue.publish([first, second]);
      const received = await gather(queue, harness, 2);
      deepEqual(idsOf(received), idsOf([first, second]), "deliveries of one batch");
      await ackAll(received);
      const third = newAnnouncement("orders", operationId);
      await queue.publish([third]);
      const later = await gather(queue, harness, 1);
      deepEqual(idsOf(later), idsOf([third]), "deliveries after the first were acked");
      await ackAll(later);
    },
  },
  {
    rule: "delivery.deduplicated",
    name: "delivers an announcement once if it is published twice in a short time",
    needs: ["standalone", "deduplicates"],
    check: async (queue, _, harness) => {
      const announcement = newAnnouncement();
      await queue.publish([announcement]);
      await queue.publish([announcement]);
      const received = await gather(queue, harness, 2);
      deepEqual(idsOf(received), [announcement.id], "deliveries");
      await ackAll(received);
    },
  },
  {
    rule: "delivery.begun",
    name: "delivers the attempt that it has begun, and nothing more while the lease is live",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders"]);
      const token = newToken();
      const received = await receive(consume(queue), AbortSignal.abort(), { token });
      deepEqual(idsOf(received), idsOf(published), "deliveries");
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
    rule: "delivery.concurrent",
    name: "begins each operation in only one of several concurrent calls",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, Array<string>(20).fill("orders"));
      const take = (limit: number) => receive(consume(queue), AbortSignal.abort(), { limit });
      const received = (await concurrently(10, () => take(2))).flat();
      // Concurrent calls may leave to each other what they look at.
      const left = await take(20);
      deepEqual(idsOf([...received, ...left]), idsOf(published), "deliveries of all calls");
    },
  },
  {
    rule: "delivery.repeated",
    name: "returns the same attempts when a call is repeated with its token, and begins no others",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders", "orders"]);
      const consumer = consume(queue);
      const token = newToken();
      const first = await receive(consumer, AbortSignal.abort(), { limit: 2, token });
      equal(first.length, 2, "number of deliveries");
      // By now, the worker may have more free slots.
      const again = await receive(consumer, AbortSignal.abort(), { token });
      deepEqual(idsOf(again), idsOf(first), "deliveries of the repeated call");
      for (const { attempt } of again) {
        equal(attempt?.begun.operation.attempt, 1, "the number of a repeated attempt");
        equal(attempt?.begun.previousLost, false, "whether an earlier attempt was lost");
        equal(attempt?.lease.token, token, "the token of its lease");
      }
      const last = await receive(consumer, AbortSignal.abort());
      deepEqual(idsOf([...again, ...last]), idsOf(published), "additional deliveries of the next call");
    },
  },
  {
    rule: "delivery.repeated-empty",
    name: "returns nothing when a call that began nothing is repeated, and leaves new work to the next call",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const consumer = consume(queue);
      const request = { token: newToken() };
      equal((await receive(consumer, AbortSignal.abort(), request)).length, 0, "deliveries at first");
      const published = await publish(queue, harness, ["orders"]);
      const repeated = await receive(consumer, AbortSignal.abort(), request);
      equal(repeated.length, 0, "deliveries of the repeated call");
      const received = await receive(consumer, AbortSignal.abort());
      deepEqual(idsOf(received), idsOf(published), "deliveries of the next call");
    },
  },
  {
    rule: "delivery.repeated-late",
    name: "returns the same attempts when a call is repeated after a call with an older token arrived late",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      await publish(queue, harness, ["orders", "orders", "orders"]);
      const consumer = consume(queue);
      const older = { limit: 1, token: newToken() };
      const newer = { limit: 1, token: newToken() };
      const first = await receive(consumer, AbortSignal.abort(), older);
      const second = await receive(consumer, AbortSignal.abort(), newer);
      const late = await receive(consumer, AbortSignal.abort(), older);
      deepEqual(idsOf(late), idsOf(first), "deliveries of the late call");
      const again = await receive(consumer, AbortSignal.abort(), newer);
      deepEqual(idsOf(again), idsOf(second), "deliveries of the repeated call");
    },
  },
  {
    rule: "delivery.suspects",
    name: "begins at most one operation whose last attempt was lost, of each definition that the call admits",
    needs: ["beginsAttempts"],
    check: async (queue, _, harness) => {
      const { leaseGranularityMs } = harness.capabilities;
      const definitions = ["orders", "reports"];
      await publish(queue, harness, ["orders", "orders", "orders", "reports", "reports"]);
      const losing = consume(queue, definitions, leaseGranularityMs);
      const lost = await receive(losing, AbortSignal.abort(), { definitions });
      equal(lost.length, 5, "number of attempts to lose");
      await harness.passTime(2 * leaseGranularityMs);
      await publish(queue, harness, ["orders"]);
      const consumer = consume(queue, definitions);
      const begun = async (suspects?: ReadonlySet<string>): Promise<readonly string[]> => {
        const request = suspects === undefined ? { definitions } : { definitions, suspects };
        const received = await receive(consumer, AbortSignal.abort(), request);
        return received
          .map(({ announcement, attempt }) => `${announcement.definition} ${attempt?.begun.previousLost}`)
          .sort();
      };
      deepEqual(await begun(new Set()), ["orders false"], "receiving without suspects");
      deepEqual(await begun(new Set(["orders"])), ["orders true"], "receiving a suspect of one definition");
      deepEqual(await begun(), ["orders true", "reports true"], "receiving suspects of all definitions");
    },
  },
];

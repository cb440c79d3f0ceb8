import { deepEqual, equal, ok } from "../../expect.js";
import {
  ackAll,
  consume,
  endsInTime,
  gather,
  gatherNothing,
  idsOf,
  newAnnouncement,
  publish,
  type QueueCheck,
  receive,
  startReceiving,
} from "./fixtures.js";

export const receiveChecks: readonly QueueCheck[] = [
  {
    rule: "receive.all",
    name: "delivers every published announcement unchanged",
    check: async (queue, _, harness) => {
      const published = [
        ...(await publish(queue, harness, ["orders"])),
        ...(await publish(queue, harness, ["orders", "orders", "orders"])),
      ];
      const received = await gather(queue, harness, 4);
      deepEqual(idsOf(received), idsOf(published), "the ids of the deliveries");
      for (const { announcement } of received) {
        const { version, id, operationId, definition } = announcement;
        const same = published.find((each) => each.id === id);
        deepEqual({ version, id, operationId, definition }, same, "a delivered announcement");
      }
      await ackAll(received);
    },
  },
  {
    rule: "receive.nothing",
    name: "accepts an empty list and delivers nothing for it",
    check: async (queue, _, harness) => {
      await queue.publish([]);
      await gatherNothing(queue, harness, "receiving after publishing nothing");
    },
  },
  {
    rule: "receive.definitions",
    name: "delivers announcements of the requested definitions and keeps the others",
    check: async (queue, _, harness) => {
      const names = ["orders", "orders2", "order", "__proto__", "orders"];
      const published = await publish(queue, harness, names);
      for (const definitions of [["constructor"], ["__proto__"], ["order", "orders2"], ["orders"]]) {
        const expected = published.filter(({ definition }) => definitions.includes(definition));
        const received = await gather(queue, harness, Math.max(1, expected.length), { definitions });
        deepEqual(idsOf(received), idsOf(expected), `deliveries for ${definitions.join(" and ")}`);
        await ackAll(received);
      }
    },
  },
  {
    rule: "receive.limit",
    name: "delivers at most the limit per call over all definitions, and the rest later",
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders", "reports", "orders", "reports"]);
      const received = await gather(queue, harness, 5, { definitions: ["orders", "reports"], limit: 2 });
      deepEqual(idsOf(received), idsOf(published), "all deliveries");
      await ackAll(received);
    },
  },
  {
    rule: "receive.slots",
    name: "delivers at most the free slots of a definition per call, and the rest later",
    check: async (queue, _, harness) => {
      const published = await publish(queue, harness, ["orders", "orders", "reports", "orders", "reports"]);
      const slots = new Map([
        ["orders", 1],
        ["reports", 2],
      ]);
      const received = await gather(queue, harness, 5, { definitions: ["orders", "reports"], slots });
      deepEqual(idsOf(received), idsOf(published), "all deliveries");
      await ackAll(received);
    },
  },
  {
    rule: "receive.waits",
    name: "delivers to a waiting call when an announcement is published",
    check: async (queue, { unitMs, pass }, harness) => {
      const receiving = startReceiving(queue, harness);
      await pass(unitMs);
      const published = await publish(queue, harness, ["orders"]);
      const received = await receiving.gather(1);
      deepEqual(idsOf(received), idsOf(published), "deliveries");
      await ackAll(received);
    },
  },
  {
    rule: "receive.other-definition",
    name: "keeps a call waiting while another definition is published",
    check: async (queue, { unitMs, pass }, harness) => {
      const receiving = startReceiving(queue, harness, { definitions: ["reports"] });
      await pass(unitMs);
      await publish(queue, harness, ["orders"]);
      await pass(unitMs);
      const published = await publish(queue, harness, ["reports"]);
      const received = await receiving.gather(1);
      deepEqual(idsOf(received), idsOf(published), "deliveries");
      await ackAll(received);
    },
  },
  {
    rule: "receive.abort",
    name: "returns nothing as soon as the signal is aborted, and loses nothing",
    check: async (queue, { unitMs, pass }, harness) => {
      for (const waiting of [true, false]) {
        const aborter = new AbortController();
        if (!waiting) aborter.abort();
        const call = receive(consume(queue), aborter.signal);
        if (waiting) await pass(unitMs);
        aborter.abort();
        equal((await endsInTime(call, harness, "an aborted `receive`")).length, 0, "number of deliveries");
      }
      const published = await publish(queue, harness, ["orders", "orders", "orders"]);
      const received = [
        ...(await endsInTime(
          receive(consume(queue), AbortSignal.abort(), { limit: 1 }),
          harness,
          "an aborted `receive`",
        )),
      ];
      received.push(...(await gather(queue, harness, 3 - received.length)));
      deepEqual(idsOf(received), idsOf(published), "deliveries of that call and the next ones");
      await ackAll(received);
    },
  },
  {
    rule: "receive.share",
    name: "delivers each announcement to one of several receivers",
    check: async (queue, _, harness) => {
      const receivers = [startReceiving(queue, harness, { limit: 3 }), startReceiving(queue, harness)];
      const published = await publish(queue, harness, Array<string>(20).fill("orders"));
      const received = () => receivers.reduce((sum, receiver) => sum + receiver.received, 0);
      // Each delivery restarts the time limit.
      for (let before = -1; received() < published.length && received() > before; ) {
        before = received();
        await harness.passTime(harness.deliversWithinMs);
      }
      const [one = [], two = []] = await Promise.all(receivers.map((receiver) => receiver.gather(0)));
      deepEqual(idsOf([...one, ...two]), idsOf(published), "deliveries of both receivers");
      await ackAll([...one, ...two]);
    },
  },
  {
    rule: "receive.ordered",
    name: "delivers announcements of one definition in the order in which they were published",
    needs: ["ordered"],
    check: async (queue, _, harness) => {
      const published = [
        ...(await publish(queue, harness, ["orders", "orders", "orders"])),
        ...(await publish(queue, harness, ["orders", "orders"])),
      ];
      const received = await gather(queue, harness, 5);
      const order = received.map(({ announcement }) => announcement.id);
      const expected = published.map(({ id }) => id);
      deepEqual(order, expected, "the order of the deliveries");
      await ackAll(received);
    },
  },
  {
    rule: "receive.burst",
    name: "delivers a thousand announcements published by many concurrent callers",
    check: async (queue, _, harness) => {
      const batches = Array.from({ length: 20 }, () => Array.from({ length: 50 }, () => newAnnouncement()));
      const published = batches.flat();
      for (const announcement of published) await harness.prepare?.(queue, announcement);
      await Promise.all(batches.map((batch) => queue.publish(batch)));
      const received = await gather(queue, harness, published.length);
      const missing = published.length - new Set(idsOf(received)).size;
      ok(missing === 0, `${missing} of ${published.length} announcements were not delivered`);
      await ackAll(received);
    },
  },
];

import {
  AsyncReplyError,
  type Backend,
  type Clock,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type Queue,
  withQueue,
  withStores,
} from "async-request-reply";
import type { Consumer, Delivery, ReceiveRequest } from "async-request-reply/ports";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { replacing } from "../support/replacing.js";
import { describeClients } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { beginningBackend } from "../testing/beginning-backend.js";

const orders = defineOperation({ name: "orders", path: "/orders", input: z.string() });

/** Opens a service on a back end, and a worker with one slot that only messages wake up. */
function open(backend: Backend) {
  const service = createService({ backend, definitions: [orders], observe: false });
  const ran: string[] = [];
  const worker = createWorker(
    service,
    { orders: (input, { attempt }) => void ran.push(`${input} ${attempt}`) },
    { concurrency: 1, sweepIntervalMs: 600_000 },
  );
  const submit = (input: string, options: { tenant?: string; urgency?: number } = {}) =>
    service.submit(orders, input, { tenant: "a", ...options });
  return { service, ran, worker, submit };
}

describeClients(
  "messages of another queue beside a queue on SQLite",
  (client) => {
    const close: (() => Promise<unknown>)[] = [];

    function openOnFile({ replacements = 1 } = {}) {
      const file = newDatabaseFile(client);
      let backend: Backend = file.open();
      for (let made = 0; made < replacements; made += 1)
        backend = withQueue(backend, createMemoryBackend().queue);
      const opened = open(backend);
      close.push(async () => {
        await opened.service.close();
        await file.remove();
      });
      return opened;
    }

    afterEach(async () => {
      for (const each of close.splice(0)) await each();
    });

    it.each([1, 2])(
      "begin work by turns of the tenants, if the queue was replaced %i times",
      async (replacements) => {
        const { ran, worker, submit } = openOnFile({ replacements });
        for (let index = 0; index < 20; index += 1) await submit(`flood ${index}`);
        await submit("newcomer", { tenant: "b" });
        await worker.start();
        await expect.poll(() => ran.length).toBe(21);
        expect(ran.indexOf("newcomer 1")).toBeLessThanOrEqual(1);
      },
    );

    it("cause one look, which does not wait for work", async () => {
      const file = newDatabaseFile(client);
      const { queue, close: closeBackend } = file.open();
      close.push(async () => {
        await closeBackend();
        await file.remove();
      });
      const definitions = [{ name: "orders", concurrency: 1, leaseMs: 60_000 }];
      const consumer = queue.consumeByTicket?.({ definitions });
      const slots = new Map([["orders", 1]]);
      const request = { slots, limit: 1, token: "t1", signal: new AbortController().signal };
      expect(await consumer?.receive(request)).toEqual([]);
    });

    it("begin urgent work first", async () => {
      const { ran, worker, submit } = openOnFile();
      for (let index = 0; index < 5; index += 1) await submit(`usual ${index}`);
      await submit("urgent", { urgency: 0 });
      await worker.start();
      await expect.poll(() => ran.length).toBe(6);
      expect(ran[0]).toBe("urgent 1");
    });
  },
  ["libsql"],
);

type Receive = Consumer["receive"];

/** Replaces the receipts of a queue that begins attempts. */
function receivingBy(
  backend: Backend,
  change: (receive: Receive, request: ReceiveRequest) => Promise<readonly Delivery[]>,
): Backend {
  const { queue } = backend;
  const consumeByTicket: Queue["consumeByTicket"] = (request) => {
    const consumer = queue.consume(request);
    return replacing(consumer, { receive: (asked) => change(consumer.receive, asked) });
  };
  return { ...backend, queue: replacing(queue, { consumeByTicket }) };
}

/** A queue that loses every message that it should deliver again. */
function delivering(queue: Queue): Queue {
  return replacing(queue, {
    consume: (request) => {
      const consumer = queue.consume(request);
      const receive: Receive = async (asked) =>
        (await consumer.receive(asked)).map((delivery) => ({ ...delivery, nack: delivery.ack }));
      return replacing(consumer, { receive });
    },
  });
}

describe("messages of another queue beside a queue that begins attempts", () => {
  const clock: Clock = {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    schedule: (ms, task) => {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
  };

  it("come again if the store could not be reached", async () => {
    let failures = 0;
    const backend = receivingBy(beginningBackend(clock), async (receive, request) => {
      failures += 1;
      if (failures === 1) throw new AsyncReplyError("STORE_UNAVAILABLE", "It is down.");
      return receive(request);
    });
    const { service, ran, worker, submit } = open(withQueue(backend, createMemoryBackend().queue));
    await submit("first");
    await worker.start();
    await expect.poll(() => ran).toEqual(["first 1"]);
    await service.close();
  });

  it("are not needed again for attempts that began although the answer was lost", async () => {
    let calls = 0;
    const backend = receivingBy(beginningBackend(clock), async (receive, request) => {
      const begun = await receive(request);
      calls += 1;
      if (calls === 1) throw new AsyncReplyError("STORE_UNAVAILABLE", "The answer was lost.");
      return begun;
    });
    const { service, ran, worker, submit } = open(
      withQueue(backend, delivering(createMemoryBackend().queue)),
    );
    await submit("first");
    await worker.start();
    await expect.poll(() => ran).toEqual(["first 1"]);
    await service.close();
  });

  it("lets the worker look at the operation that a message names if none has its turn", async () => {
    const asked: string[] = [];
    const idle = receivingBy(beginningBackend(clock), async () => []);
    const operations = replacing(idle.operations, {
      beginAttempt: (id, lease) => {
        asked.push(id);
        return idle.operations.beginAttempt(id, lease);
      },
    });
    const backend = withStores(idle, { operations });
    const { service, ran, worker, submit } = open(withQueue(backend, createMemoryBackend().queue));
    const { operationId } = await submit("first");
    await worker.start();
    await expect.poll(() => ran).toEqual(["first 1"]);
    expect(asked).toEqual([operationId]);
    await service.close();
  });
});

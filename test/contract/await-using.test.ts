import {
  allowAnonymous,
  composeStores,
  createMemoryBackend,
  createMemoryStores,
  createOrderService,
  createWorker,
  defineOrders,
  withQueue,
} from "async-request-reply";
import { createBullmqQueue } from "async-request-reply/bullmq";
import { createConsole } from "async-request-reply/console";
import { createNatsQueue } from "async-request-reply/nats";
import { withOpenApi } from "async-request-reply/openapi";
import { createOperator } from "async-request-reply/operator";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createRabbitmqQueue } from "async-request-reply/rabbitmq";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { describe, expect, it, vi } from "vitest";
import { info } from "../support/openapi-services.js";
import { signalOf } from "../support/worker-stage.js";

interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}

const authorize = allowAnonymous();
const unused = (): never => {
  throw new Error("not used");
};

/** Everything with `close`, and nothing but stubs behind it. */
const closables: Readonly<Record<string, () => Closable>> = {
  "a service": () => createOrderService({ authorize }),
  "a service with a document": () => withOpenApi(createOrderService({ authorize }), { info }),
  "a console": () => {
    const operator = createOperator({ backend: createMemoryBackend(), definitions: [defineOrders()] });
    return createConsole({ operator, authorize: () => undefined });
  },
  "the memory back end": () => createMemoryBackend(),
  "the Postgres back end": () => createPostgresBackend({ pool: { connect: unused } as never }),
  "the SQLite back end": () =>
    createSqliteBackend({ database: { exec: () => {}, prepare: unused, close: unused } as never }),
  "a back end with another queue": () => withQueue(createMemoryBackend(), createMemoryBackend().queue),
  "a back end with two stores": () => composeStores(createMemoryStores()),
  "a queue on RabbitMQ": () =>
    createRabbitmqQueue({ connection: { createChannel: unused, createConfirmChannel: unused } as never }),
  "a queue on NATS": () =>
    createNatsQueue({ jetstream: { publish: unused, jetstreamManager: unused } as never }),
  "a queue on BullMQ": () =>
    createBullmqQueue({
      bullmq: { Queue: class {}, Worker: class {}, QueueEvents: class {} } as never,
      connection: {} as never,
    }),
};

describe("await using", () => {
  it.each(Object.entries(closables))("closes %s, also one that throws afterwards", async (_, create) => {
    const close = vi.fn(async () => {});
    await expect(async () => {
      await using closable = { ...create(), close };
      expect(close.mock.calls.length, String(closable)).toBe(0);
      throw new Error("thrown in the block");
    }).rejects.toThrow("thrown in the block");
    expect(close).toHaveBeenCalledOnce();
  });

  it.each(Object.entries(closables))("accepts that %s is closed already", async (_, create) => {
    const closable = create();
    await closable.close();
    await expect(closable[Symbol.asyncDispose]()).resolves.toBeUndefined();
    await expect(closable[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  it("stops a worker before it closes its service, and waits for the attempts in progress", async () => {
    const steps: string[] = [];
    const begun = signalOf();
    const memory = createMemoryBackend();
    await (async () => {
      await using backend = { ...memory, close: async () => void steps.push("back end closed") };
      await using service = createOrderService({ authorize, backend });
      await using worker = createWorker(service, {
        orders: async () => {
          begun.resolve();
          await new Promise((resolve) => setTimeout(resolve));
          steps.push("work done");
        },
      });
      await worker.start();
      await service.submit(service.definitions[0], { itemId: "pen", quantity: 1 }, { tenant: "a" });
      await begun.promise;
    })();
    // The service closes its back end, and so does its own declaration.
    expect(steps).toEqual(["work done", "back end closed", "back end closed"]);
  });

  it("gives a worker that is already stopping the rest of its time", async () => {
    const begun = signalOf();
    const mayEnd = signalOf();
    const service = createOrderService({ authorize });
    const worker = createWorker(service, {
      orders: async (_, { signal }) => {
        begun.resolve();
        await mayEnd.promise;
        return signal.aborted;
      },
    });
    await worker.start();
    const [orders] = service.definitions;
    const { operationId } = await service.submit(orders, { itemId: "pen", quantity: 1 }, { tenant: "a" });
    await begun.promise;
    const stopped = worker.stop();
    const disposed = worker[Symbol.asyncDispose]();
    mayEnd.resolve();
    await Promise.all([stopped, disposed]);
    const completed = { status: "completed", result: false };
    expect(await service.get(orders, operationId, { tenant: "a" })).toMatchObject(completed);
    await service.close();
  });

  it("has no method on a runtime without its symbol, and everything else works", async () => {
    const without = Object.create(Symbol, { asyncDispose: { value: undefined } }) as unknown;
    vi.stubGlobal("Symbol", without);
    const service = createOrderService({ authorize });
    const worker = createWorker(service, { orders: () => undefined });
    vi.unstubAllGlobals();
    expect(Object.keys(service)).toContain("close");
    for (const each of [service, service.backend, worker])
      expect(Object.getOwnPropertySymbols(each)).not.toContain(Symbol.asyncDispose);
    await worker.stop();
    await service.close();
  });
});

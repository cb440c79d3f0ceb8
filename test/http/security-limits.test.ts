import { gzipSync } from "node:zlib";
import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  defineOrders,
  isAsyncReplyError,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import { mountOrders, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { createPlainHarness } from "../support/plain-harness.js";

const harness = createPlainHarness();

describe("S6: limits", () => {
  const bad: readonly unknown[] = [
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1.5,
    "1mb",
    "1000",
    null,
    true,
    1n,
    {},
  ];
  const authorize = allowAnonymous();
  const service = createOrderService({ authorize });
  const processors = { orders: () => undefined };
  const makers: Readonly<Record<string, readonly [readonly string[], (options: object) => unknown]>> = {
    service: [
      [
        "maxBodyBytes",
        "maxDepth",
        "bodyTimeoutMs",
        "authorizeTimeoutMs",
        "recordTimeoutMs",
        "createTimeoutMs",
        "leaseMs",
        "maxResultBytes",
      ],
      (options) => createOrderService({ authorize, ...options }),
    ],
    definition: [["retentionMs"], (options) => defineOrders(options)],
    "memory back end": [["maxOperations"], (options) => createMemoryBackend(options)],
    worker: [
      [
        "concurrency",
        "leaseMs",
        "maxAttempts",
        "attemptTimeoutMs",
        "maxResultBytes",
        "sweepIntervalMs",
        "drainTimeoutMs",
        "abandonAfterMs",
      ],
      (options) => createWorker(service, processors, options),
    ],
  };

  /** Valid values of the options for which 100,000 is too large. */
  const good: Readonly<Record<string, number>> = { maxDepth: 1_000, recordTimeoutMs: 30_000 };

  for (const [what, [names, make]] of Object.entries(makers)) {
    it.each(names)(
      `throw an error that names the option if the ${what} gets an invalid value: %s`,
      (name) => {
        for (const value of bad) {
          const error = thrownBy(() => make({ [name]: value }));
          expect([value, isAsyncReplyError(error) && error.code]).toEqual([value, "INVALID_OPTION"]);
          expect((error as Error).message).toContain(name);
        }
        expect(() => make({ [name]: good[name] ?? 100_000 })).not.toThrow();
      },
    );
  }

  it("end a body that stalls beyond bodyTimeoutMs", async () => {
    const orders = await mountOrders(harness, { bodyTimeoutMs: 20 });
    const stalled = { chunks: [], end: "stall" } as const;
    expect((await orders.send(submission({ body: stalled }))).status).toBe(408);
    expect(await orders.recorded()).toEqual([]);
  });

  function thrownBy(make: () => unknown): unknown {
    try {
      return make();
    } catch (error) {
      return error;
    }
  }
});

describe("S7: a compressed body", () => {
  it("is refused unread if it declares its coding", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, "["));
    let read = false;
    const service = createOrderService({ authorize: allowAnonymous(), maxBodyBytes: 100_000_000 });
    const { status, headers } = await service.handle({
      method: "POST",
      path: "/orders",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: async () => {
        read = true;
        return bomb;
      },
    });
    expect([status, headers["accept-encoding"], read]).toEqual([415, "identity", false]);
  });

  it("is malformed if it does not declare its coding", async () => {
    const { send } = await mountOrders(harness);
    expect((await send(submission({ body: gzipSync('{"itemId":"book","quantity":1}') }))).status).toBe(400);
  });
});

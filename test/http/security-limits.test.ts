import { gzipSync } from "node:zlib";
import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  defineOrders,
} from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import { describe, expect, it } from "vitest";
import { mountOrders, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { createPlainHarness } from "../support/plain-harness.js";
import { refusalOf } from "../support/refusal.js";

const harness = createPlainHarness();

describe("S6: limits", () => {
  const bad = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5, "1mb", "1000", null, true, 1n, {}];
  const authorize = allowAnonymous();
  const service = createOrderService({ authorize });
  const work = (options: object): unknown => createWorker(service, { orders: () => undefined }, options);
  const pool = { connect: (): void => {} };
  const serve = (options: object): unknown => createOrderService({ authorize, ...options });
  const onPostgres = (options: object): unknown => createPostgresBackend({ pool, ...options });
  const makers: readonly [what: string, names: readonly string[], make: (options: object) => unknown][] = [
    ["service", ["maxBodyBytes", "maxDepth", "maxResultBytes", "bodyTimeoutMs", "leaseMs"], serve],
    ["service", ["authorizeTimeoutMs", "recordTimeoutMs", "createTimeoutMs"], serve],
    ["definition", ["retentionMs"], defineOrders],
    ["memory back end", ["maxOperations"], createMemoryBackend],
    ["Postgres back end", ["pollIntervalMs", "statementTimeoutMs", "idleTransactionTimeoutMs"], onPostgres],
    ["Postgres back end", ["maxBatch", "maxInFlight", "maxWaiting", "maxWaitingBytes"], onPostgres],
    ["worker", ["concurrency", "leaseMs", "maxAttempts", "maxResultBytes", "attemptTimeoutMs"], work],
    ["worker", ["sweepIntervalMs", "drainTimeoutMs", "abandonAfterMs"], work],
    ["backoff of a worker", ["baseMs", "maxMs"], (backoff) => work({ backoff })],
  ];

  /** Valid values of the options for which 100,000 is too large. */
  const good: Readonly<Record<string, number>> = { maxDepth: 1_000, recordTimeoutMs: 30_000, maxBatch: 500 };

  for (const [what, names, make] of makers) {
    describe.each(names)(
      `throw an error that names the option if the ${what} gets an invalid value: %s`,
      (name) => {
        it.each(bad)("%s", (value) => {
          const { code, detail } = refusalOf(() => make({ [name]: value }));
          expect([code, detail]).toEqual(["INVALID_OPTION", expect.stringMatching(`[\`.]${name}\``)]);
        });

        it("but not if it is valid", () => {
          expect(() => make({ [name]: good[name] ?? 100_000 })).not.toThrow();
        });
      },
    );
  }

  it("end a body that stalls beyond bodyTimeoutMs", async () => {
    const orders = await mountOrders(harness, { bodyTimeoutMs: 20 });
    const stalled = { chunks: [], end: "stall" } as const;
    expect((await orders.send(submission({ body: stalled }))).status).toBe(408);
    expect(await orders.recorded()).toEqual([]);
  });
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

import {
  AsyncReplyError,
  type Backend,
  createMemoryBackend,
  createWorker,
  defineOperation,
  defineOrders,
  type Order,
  type Queue,
  type ServiceOptions,
  type SubmitOutcome,
  withQueue,
} from "async-request-reply";
import type { OperationLimits, Ring } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { allOperations } from "../support/all-operations.js";
import { createComposedBackend } from "../support/composed-backend.js";
import { interceptBackend } from "../support/intercept-backend.js";
import { replacing } from "../support/replacing.js";
import { transactionalBackend } from "../support/transactional-backend.js";
import { openService } from "./open-service.js";

const orders = defineOrders();
const ORDER = { itemId: "pen", quantity: 2 };
const OTHER = { ...ORDER, quantity: 3 };
const REFUSED = { ...ORDER, quantity: 0 };
const CREATED = { outcome: "created", status: "pending", replayed: false };
const tenant = "anonymous";

function open(
  options: Partial<ServiceOptions<readonly [typeof orders], never>> & {
    readonly wrap?: (backend: Backend<never>) => Backend<never>;
    readonly limits?: OperationLimits;
    readonly maxOperations?: number;
  } = {},
) {
  const { wrap = (given) => given, limits, maxOperations = 10_000, ...others } = options;
  const clock = createManualClock();
  const backend = wrap(createMemoryBackend({ clock, maxOperations }));
  const definition = limits === undefined ? orders : { ...orders, limits };
  const { service, events } = openService([definition], { backend, runtime: { clock }, ...others });
  const recorded = async (): Promise<number> => (await allOperations(backend.operations)).length;
  const submitMany = (items: Parameters<typeof service.submitMany<typeof orders>>[1]) =>
    service.submitMany(orders, items, { tenant });
  return { service, backend, clock, events, recorded, submitMany };
}

/** Notes how many rings each message of the service has. */
function notingRings(backend: Backend<never>, published: number[]): Backend<never> {
  const publish = (rings: readonly Ring[]): Promise<void> => {
    published.push(rings.length);
    return backend.queue.publish(rings);
  };
  return withQueue(backend, replacing<Queue>(backend.queue, { publish }));
}

/** Outcomes as one word each, with the code of a refusal. */
const words = (outcomes: readonly SubmitOutcome[]): string[] =>
  outcomes.map((each) => (each.outcome === "refused" ? each.error.code : each.outcome));

const invalid = (detail: RegExp) => ({ code: "INVALID_OPTION", detail: expect.stringMatching(detail) });

const idOf = (outcome: SubmitOutcome | undefined): string | undefined =>
  outcome === undefined || outcome.outcome === "refused" ? undefined : outcome.operationId;

const numbered = (count: number, prefix = "k") =>
  Array.from({ length: count }, (_, index) => ({ input: ORDER, key: `${prefix}${index}` }));

describe("service.submitMany", () => {
  it("accepts 1,000 items in one commit, and resolves to their outcomes in order", async () => {
    const commits: number[] = [];
    const { service, recorded } = open({
      wrap: (backend) =>
        interceptBackend(backend, ({ method, args }, proceed) => {
          if (method.startsWith("record")) commits.push((args[0] as readonly unknown[]).length);
          return proceed();
        }) as Backend<never>,
    });
    const inputOf = (index: number) => ({ itemId: `item ${index}`, quantity: 1 });
    const items = numbered(1_000).map((each, index) => ({ ...each, input: inputOf(index) }));
    const outcomes = await service.submitMany(orders, items, { tenant });
    expect(commits).toEqual([1_000]);
    expect(await recorded()).toBe(1_000);
    for (const index of [0, 499, 999]) {
      const operationId = expect.any(String);
      expect(outcomes[index]).toEqual({ ...CREATED, operationId });
      const again = await service.submit(orders, inputOf(index), { tenant, key: `k${index}` });
      expect(again.operationId).toBe(idOf(outcomes[index]));
    }
  });

  it("refuses a bad item alone, with the error that `submit` rejects with", async () => {
    const { service, recorded, events, submitMany } = open();
    const outcomes = await submitMany([
      { input: ORDER, key: "a" },
      { input: REFUSED, key: "b" },
      { input: { ...ORDER, extra: new Map() } as never, key: "c" },
      { input: ORDER, key: "ключ" },
      { input: ORDER, delayMs: -1 },
      { input: ORDER, webhookUrl: "https://hooks.example/" },
      { input: ORDER, principal: "" },
      { input: ORDER, kye: "misspelled" } as never,
      null as never,
      { input: ORDER, key: 7 as never },
      { input: ORDER, key: "z" },
    ]);
    expect(words(outcomes)).toEqual([
      "created",
      "CONTRACT_VIOLATION",
      "MALFORMED_BODY",
      "INVALID_IDEMPOTENCY_KEY",
      ...Array.from({ length: 6 }, () => "INVALID_OPTION"),
      "created",
    ]);
    expect(outcomes[7]).toMatchObject({ error: { detail: expect.stringContaining("`items[7].kye`") } });
    expect(await recorded()).toBe(2);
    expect(events.map(({ event }) => event)).toEqual(["operation.accepted", "operation.accepted"]);
    const alone = await service.submit(orders, REFUSED, { tenant }).catch((error: unknown) => error);
    expect(outcomes[1]).toMatchObject({ error: { detail: (alone as AsyncReplyError).detail } });
  });

  it("refuses an item alone whose schema throws, with the thrown value as the cause", async () => {
    const thrown = new TypeError("no such table");
    const strange = defineOperation({
      name: "strange",
      path: "/strange",
      input: z.object({ n: z.int() }).refine(({ n }) => {
        if (n === 2) throw thrown;
        return true;
      }),
    });
    const items = [{ input: { n: 1 } }, { input: { n: 2 } }];
    const outcomes = await openService([strange]).service.submitMany(strange, items, { tenant });
    expect(words(outcomes)).toEqual(["created", "INTERNAL"]);
    expect(outcomes[1]).toMatchObject({ error: { cause: thrown } });
  });

  it("replays earlier operations, and refuses their keys with another input", async () => {
    const { service, events, submitMany } = open();
    const first = await service.submit(orders, ORDER, { tenant, key: "a" });
    await createWorker(service, { orders: () => undefined }).runUntilIdle();
    events.length = 0;
    const outcomes = await submitMany([
      { input: ORDER, key: "a" },
      { input: OTHER, key: "a" },
      { input: ORDER, key: "b" },
    ]);
    expect(words(outcomes)).toEqual(["replayed", "IDEMPOTENCY_KEY_REUSED", "created"]);
    expect(outcomes[0]).toEqual({ ...first, outcome: "replayed", status: "completed", replayed: true });
    const reported = ["key.reused", "operation.accepted", "operation.replayed"];
    expect(events.map(({ event }) => event).sort()).toEqual(reported);
  });

  it("lets the first of two items with one key count: the second replays it or is refused", async () => {
    const { service, recorded } = open();
    const items = [
      { input: REFUSED, key: "a" },
      { input: ORDER, key: "a" },
      { input: ORDER, key: "a" },
      { input: OTHER, key: "a" },
      { input: ORDER },
      { input: ORDER },
    ];
    const outcomes = await service.submitMany(orders, items, { tenant });
    const ofOneKey = ["CONTRACT_VIOLATION", "created", "replayed", "IDEMPOTENCY_KEY_REUSED"];
    expect(words(outcomes)).toEqual([...ofOneKey, "created", "created"]);
    expect(idOf(outcomes[2])).toBe(idOf(outcomes[1]));
    expect(await recorded()).toBe(3);
  });

  it("accepts nothing twice if the same call is repeated", async () => {
    const { service, recorded } = open();
    const first = await service.submitMany(orders, numbered(20), { tenant });
    const second = await service.submitMany(orders, numbered(20), { tenant });
    expect(second.map(idOf)).toEqual(first.map(idOf));
    expect(new Set(words(second))).toEqual(new Set(["replayed"]));
    expect(await recorded()).toBe(20);
  });

  it("gives items their own options, and the principal of the call to those that name none", async () => {
    const { service, backend } = open();
    const items = [{ input: ORDER, urgency: 1, delayMs: 5, principal: "bob" }, { input: ORDER }] as const;
    const outcomes = await service.submitMany(orders, items, { tenant: "acme", principal: "ann" });
    const found = await Promise.all(outcomes.map((each) => backend.operations.get(idOf(each) ?? "", "acme")));
    expect(found).toMatchObject([{ principal: "bob", urgency: 1 }, { principal: "ann" }]);
  });

  it("resolves to an empty list for an empty list", async () => {
    const { service } = open();
    expect(await service.submitMany(orders, [], { tenant })).toEqual([]);
  });

  it.each([
    ["1,001 items", numbered(1_001), { tenant }, /at most 1000 items, not 1001\. Divide them/],
    ["a value that is no array", { input: ORDER }, { tenant }, /must be an array of .*, not an object\./],
    ["no tenant", [], {}, /`tenant`/],
    ["an invalid tenant", [], { tenant: "" }, /`tenant`/],
    ["an option of items", [], { tenant, key: "k" }, /Unknown option `key` of service\.submitMany/],
    ["an invalid principal", [], { tenant, principal: "" }, /`principal`/],
  ])("rejects for %s, and says what is expected", async (_, items, options, detail) => {
    const { service, recorded } = open();
    const submitting = service.submitMany(orders, items as never, options as never);
    await expect(submitting).rejects.toMatchObject(invalid(detail));
    expect(await recorded()).toBe(0);
  });

  it("rejects for inputs of more than 16 million characters together", async () => {
    const { service, recorded } = open({ maxBodyBytes: 20_000_000 });
    const large = { input: { itemId: "x".repeat(9_000_000), quantity: 1 } };
    const itself = defineOperation({ name: "files", path: "/files", input: z.object({ of: z.string() }) });
    const { service: files } = openService([itself], { maxBodyBytes: 20_000_000 });
    const file = { input: { of: "x".repeat(9_000_000) } };
    const tooLong = invalid(/16777216 characters of JSON together, not 18000018\. Divide/);
    await expect(files.submitMany(itself, [file, file], { tenant })).rejects.toMatchObject(tooLong);
    const one = await files.submitMany(itself, [{ input: { of: "x".repeat(18_000_000) } }], { tenant });
    expect(words(one)).toEqual(["created"]);
    // An item that is refused anyway does not count.
    expect(words(await service.submitMany(orders, [large, large], { tenant }))).not.toContain("created");
    expect(await recorded()).toBe(0);
  });

  it("rejects if the service creates the resource before the reply, with or without a transaction", async () => {
    const { service } = open({ create: { orders: () => ({ body: {} }) } });
    const creates = invalid(/creates the resource of "orders".*Call `service\.submit` for each/);
    for (const options of [{ tenant }, { tenant, tx: {} as never }])
      await expect(service.submitMany(orders, numbered(1), options)).rejects.toMatchObject(creates);
  });

  it("records each by itself if the stores share no transaction", async () => {
    const { submitMany, recorded } = open({ wrap: () => createComposedBackend() });
    for (const outcome of ["created", "replayed"])
      expect(words(await submitMany(numbered(2)))).toEqual([outcome, outcome]);
    expect(await recorded()).toBe(2);
  });

  it("rejects with NO_TRANSACTIONS if the back end shares none, and with SERVICE_CLOSED after `close`", async () => {
    const { service } = open();
    const within = service.submitMany(orders, numbered(1), { tenant, tx: {} as never });
    await expect(within).rejects.toMatchObject({ code: "NO_TRANSACTIONS" });
    await service.close();
    const late = service.submitMany(orders, numbered(1), { tenant });
    await expect(late).rejects.toMatchObject({ code: "SERVICE_CLOSED" });
  });

  it("rejects as a whole if the store has no room for all items, and records none of them", async () => {
    const { service, recorded, events } = open({ maxOperations: 5 });
    await service.submit(orders, ORDER, { tenant, key: "k0" });
    events.length = 0;
    const submitting = service.submitMany(orders, numbered(6), { tenant });
    await expect(submitting).rejects.toMatchObject({ code: "OVERLOADED" });
    expect(await recorded()).toBe(1);
    expect(events).toEqual([]);
    // The key that is known needs no room.
    const outcomes = await service.submitMany(orders, numbered(5), { tenant });
    expect(words(outcomes)).toEqual(["replayed", "created", "created", "created", "created"]);
  });

  it("rejects with SUBMISSION_UNCERTAIN if the answer to the commit is lost, and a repeated call finds every item", async () => {
    let isLost = true;
    const { service, recorded } = open({
      wrap: (backend) =>
        interceptBackend(backend, async ({ method }, proceed) => {
          const answer = await proceed();
          if (method === "recordMany" && isLost)
            throw new AsyncReplyError("STORE_UNAVAILABLE", "The answer got lost.");
          return answer;
        }) as Backend<never>,
    });
    const submitting = service.submitMany(orders, numbered(3), { tenant });
    await expect(submitting).rejects.toMatchObject({ code: "SUBMISSION_UNCERTAIN" });
    isLost = false;
    const outcomes = await service.submitMany(orders, numbered(3), { tenant });
    expect(words(outcomes)).toEqual(["replayed", "replayed", "replayed"]);
    expect(await recorded()).toBe(3);
  });

  it("rejects with STORE_UNAVAILABLE if the time is over and nothing was sent", async () => {
    const givenUp: unknown[] = [];
    const { service, clock } = open({
      wrap: (backend) => {
        const submissions = replacing(backend.submissions as NonNullable<typeof backend.submissions>, {
          recordMany: () => new Promise(() => {}),
          giveUp: ({ operation }) => givenUp.push(operation.key) > 0,
        });
        return { ...backend, submissions };
      },
    });
    const submitting = service.submitMany(orders, numbered(3), { tenant });
    const rejected = expect(submitting).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await vi.waitUntil(async () => {
      await clock.advance(10_000);
      return givenUp.length > 0;
    });
    await rejected;
    expect(givenUp).toEqual(["k0"]);
  });

  it("rings for all items in few messages, so that a waiting worker starts immediately", async () => {
    const published: number[] = [];
    const { service } = open({ wrap: (backend) => notingRings(backend, published) });
    const done = vi.fn();
    const worker = createWorker(service, { orders: done }, { sweepIntervalMs: 3_600_000, concurrency: 100 });
    await worker.start();
    await service.submitMany(orders, numbered(800), { tenant });
    await vi.waitUntil(() => done.mock.calls.length === 800);
    await service.close();
    expect(published).toEqual([500, 300]);
  });

  it("rings for delayed items when a run ends, and runs none before it is due", async () => {
    const published: number[] = [];
    const { service, clock } = open({ wrap: (backend) => notingRings(backend, published) });
    const done = vi.fn();
    const items = [{ input: ORDER }, { input: OTHER, delayMs: 5_000 }];
    await service.submitMany(orders, items, { tenant });
    const worker = createWorker(service, { orders: ({ quantity }) => done(quantity) });
    await worker.runUntilIdle();
    expect([done.mock.calls, published]).toEqual([[[2]], [1, 1]]);
    await clock.advance(5_000);
    await worker.runUntilIdle();
    expect(done.mock.calls).toEqual([[2], [3]]);
  });

  it("does not delay the work of another tenant behind a thousand items", async () => {
    const { service } = open();
    await service.submitMany(orders, numbered(1_000), { tenant: "large" });
    await service.submitMany(orders, [{ input: OTHER }], { tenant: "small" });
    const order: number[] = [];
    const processors = { orders: ({ quantity }: Order) => void order.push(quantity) };
    await createWorker(service, processors, { concurrency: 1 }).runUntilIdle();
    expect(order).toHaveLength(1_001);
    expect(order.indexOf(OTHER.quantity)).toBeLessThan(40);
  });
});

describe("service.submitMany with limits of pending operations", () => {
  it("counts each item, refuses those over the limit, and still returns operations of known keys", async () => {
    const { service, recorded, events } = open({ limits: { pending: 5 } });
    await service.submit(orders, ORDER, { tenant, key: "known" });
    const items = [...numbered(6), { input: ORDER, key: "known" }];
    const outcomes = await service.submitMany(orders, items, { tenant });
    const four = Array.from({ length: 4 }, () => "created");
    expect(words(outcomes)).toEqual([...four, "BACKLOG_FULL", "BACKLOG_FULL", "replayed"]);
    expect(await recorded()).toBe(5);
    expect(events.map(({ event }) => event).filter((each) => each === "operation.replayed")).toHaveLength(1);
  });

  it("refuses one tenant alone with TOO_MANY_PENDING", async () => {
    const { service } = open({ limits: { pendingPerTenant: 2 } });
    const outcomes = await service.submitMany(orders, numbered(3), { tenant: "a" });
    expect(words(outcomes)).toEqual(["created", "created", "TOO_MANY_PENDING"]);
    const others = await service.submitMany(orders, numbered(2), { tenant: "b" });
    expect(words(others)).toEqual(["created", "created"]);
  });

  it("gives the places of replayed items back", async () => {
    const { service, submitMany } = open({ limits: { pending: 3 } });
    const known = numbered(2);
    for (const { input, key } of known) await service.submit(orders, input, { tenant, key });
    expect(words(await submitMany(known))).toEqual(["replayed", "replayed"]);
    expect(words(await submitMany(numbered(2, "new")))).toEqual(["created", "BACKLOG_FULL"]);
  });

  it("gives items with the same key one place", async () => {
    const { service } = open({ limits: { pending: 2 } });
    const twice = { input: ORDER, key: "a" };
    const outcomes = await service.submitMany(orders, [twice, twice, { input: ORDER, key: "b" }], { tenant });
    expect(words(outcomes)).toEqual(["created", "replayed", "created"]);
    await expect(service.submit(orders, ORDER, { tenant })).rejects.toMatchObject({ code: "BACKLOG_FULL" });
  });
});

describe("service.submitMany in a transaction without `recordManyIn`", () => {
  function stage() {
    const clock = createManualClock();
    const { backend, transactions } = transactionalBackend(clock);
    const { service, events } = openService([orders], { backend, runtime: { clock } });
    const listed = () => allOperations(backend.operations);
    return { service, transactions, events, listed };
  }

  it("records everything when it commits, and nothing when it rolls back", async () => {
    const { service, transactions, events, listed } = stage();
    const outcomes = await transactions.run((tx) => service.submitMany(orders, numbered(3), { tenant, tx }));
    expect(words(outcomes)).toEqual(["created", "created", "created"]);
    expect((await listed()).map(({ id }) => id).sort()).toEqual(outcomes.map(idOf).sort());
    const rolledBack = transactions.run(async (tx) => {
      await service.submitMany(orders, numbered(2, "other"), { tenant, tx });
      throw new Error("changed my mind");
    });
    await expect(rolledBack).rejects.toThrow("changed my mind");
    expect(await listed()).toHaveLength(3);
    expect(events).toEqual([]);
  });

  it("refuses a bad item and a held key alone", async () => {
    const { service, transactions, listed } = stage();
    await transactions.run(async (holder) => {
      await service.submit(orders, ORDER, { tenant, key: "k1", tx: holder });
      const outcomes = await transactions.run((tx) =>
        service.submitMany(orders, [...numbered(2), { input: REFUSED }], { tenant, tx }),
      );
      expect(words(outcomes)).toEqual(["created", "CREATION_IN_PROGRESS", "CONTRACT_VIOLATION"]);
    });
    expect(await listed()).toHaveLength(2);
  });
});

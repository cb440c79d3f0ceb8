import {
  allowAnonymous,
  type CreateContext,
  createMemoryStores,
  createOrderService,
  createService,
  createWorker,
  defineOrders,
  type Order,
} from "async-request-reply";
import type { PoolClient } from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { notingPool } from "./lost-commit.js";
import { begin } from "./submissions.js";
import { openTestPool } from "./test-pool.js";
import { createTransactionStage, idOf, ORDER, TENANT, type TransactionStage } from "./transaction-stage.js";
import { endingWith } from "./user-transaction.js";

await describePostgres("an operation that is submitted in a transaction", (server) => {
  const within = <Result>(end: "commit" | "rollback", run: (tx: PoolClient) => Promise<Result>) =>
    endingWith(end, server.pool, run);

  function submitIn({ service }: TransactionStage, tx: PoolClient, key?: string, input = ORDER) {
    const options = { tenant: TENANT, ...(key === undefined ? {} : { key }) };
    return service.submit(service.definitions[0], input, { tx, ...options });
  }

  it("exists only if the transaction commits, together with its writes", async () => {
    const stage = await createTransactionStage(server);
    const run = async (tx: PoolClient) => {
      const submitted = await submitIn(stage, tx, "k");
      await stage.write(tx, submitted.operationId);
      expect(await stage.operations()).toEqual([]);
      return submitted;
    };
    await within("rollback", run);
    expect([await stage.operations(), await stage.effects()]).toEqual([[], []]);
    const submitted = await within("commit", run);
    expect(submitted).toEqual({ operationId: expect.any(String), status: "pending", replayed: false });
    expect(await stage.effects()).toEqual([submitted.operationId]);
    const path = `/operations/${submitted.operationId}`;
    const { status, body } = await stage.service.handle({ method: "GET", path, headers: {} });
    expect([status, JSON.parse(String(body))]).toMatchObject([200, { status: "pending" }]);
  });

  it("wakes a waiting worker as soon as the transaction has committed", async () => {
    const pollIntervalMs = 3_600_000;
    let lookedAt = Number.POSITIVE_INFINITY;
    const pool = notingPool(server.pool, (text) => {
      if (text.includes("claim_v1")) lookedAt = performance.now();
    });
    const stage = await createTransactionStage(server, { backend: { pool, pollIntervalMs } });
    const done: string[] = [];
    const worker = createWorker(
      stage.service,
      { orders: (_, job) => done.push(job.operationId) },
      { sweepIntervalMs: pollIntervalMs, drainTimeoutMs: 50 },
    );
    await worker.start();
    onTestFinished(async () => {
      await worker.stop();
      await stage.backend.close();
    });
    // The worker listens, and does not poll again for a while.
    const listens = `select from pg_stat_activity where query = 'listen "arr_${stage.schema}"'`;
    await vi.waitUntil(
      async () => performance.now() - lookedAt > 500 && (await server.pool.query(listens)).rowCount === 1,
    );
    const { operationId } = await within("commit", (tx) => submitIn(stage, tx));
    await vi.waitUntil(() => done.length > 0);
    expect(done).toEqual([operationId]);
  });

  it("shares its key with requests in both directions", async () => {
    const stage = await createTransactionStage(server);
    const first = await within("commit", (tx) => submitIn(stage, tx, "first"));
    const replayed = await stage.submit("first");
    expect([idOf(replayed), replayed.headers["idempotent-replayed"]]).toEqual([first.operationId, "true"]);

    const posted = idOf(await stage.submit("second"));
    await stage.backend.operations.settle(await begin(stage.backend, posted), { to: "completed" });
    const second = await within("commit", (tx) => submitIn(stage, tx, "second"));
    expect(second).toEqual({ operationId: posted, status: "completed", replayed: true });
  });

  it("is one operation if it is submitted twice in one transaction", async () => {
    const stage = await createTransactionStage(server);
    const [first, second] = await within("commit", async (tx) => [
      await submitIn(stage, tx, "k"),
      await submitIn(stage, tx, "k"),
    ]);
    expect(second).toEqual({ ...first, replayed: true });
  });

  it("stays if another one, submitted at the same time, fails to create its resource", async () => {
    const stage = await createTransactionStage(server, {
      create: async ({ itemId }, { operationId, tx }, { write }) => {
        await write(tx as PoolClient, operationId);
        if (itemId === "none") throw new Error("There is none.");
        return { body: {} };
      },
    });
    const results = await within("commit", (tx) =>
      Promise.allSettled(
        ["book", "none", "pen"].map((itemId) => submitIn(stage, tx, itemId, { itemId, quantity: 1 })),
      ),
    );
    expect(results).toMatchObject([
      { status: "fulfilled" },
      { reason: { message: "There is none." } },
      { status: "fulfilled" },
    ]);
    const accepted = results.flatMap((each) => (each.status === "fulfilled" ? [each.value.operationId] : []));
    expect((await stage.operations()).map(({ id }) => id).sort()).toEqual(accepted.sort());
    expect([...(await stage.effects())].sort()).toEqual(accepted.sort());
  });

  it("can be submitted by the function that creates the resource of another one", async () => {
    const stage = await createTransactionStage(server, {
      create: async ({ itemId }, { tx }, inner) => {
        if (itemId === "set")
          await Promise.all(["book", "pen"].map((each) => submitIn(inner, tx as PoolClient, each)));
        return { body: {} };
      },
    });
    await within("commit", (tx) => submitIn(stage, tx, "set", { itemId: "set", quantity: 1 }));
    expect((await stage.operations()).map(({ key }) => key).sort()).toEqual(["book", "pen", "set"]);
  });

  it.each([
    [
      "a key of another input",
      "IDEMPOTENCY_KEY_REUSED",
      { key: "used", input: { itemId: "book", quantity: 2 } },
    ],
    ["a key that another transaction holds", "SUBMISSION_IN_PROGRESS", { key: "held" }],
    ["an input that violates the contract", "CONTRACT_VIOLATION", { input: { itemId: "book", quantity: 0 } }],
    ["an input without a JSON form", "MALFORMED_BODY", { input: { itemId: "book", quantity: Number.NaN } }],
    ["a lone surrogate", "MALFORMED_BODY", { input: { itemId: "\ud800", quantity: 1 } }],
    ["a large input", "MALFORMED_BODY", { input: { itemId: "x".repeat(70_000), quantity: 1 } }],
    ["no input", "MALFORMED_BODY", { input: undefined }],
    ["an empty key", "INVALID_IDEMPOTENCY_KEY", { key: "" }],
    ["a long key", "INVALID_IDEMPOTENCY_KEY", { key: "x".repeat(256) }],
    ["a key with a control character", "INVALID_IDEMPOTENCY_KEY", { key: "\u0000" }],
    ["no tenant", "INVALID_OPTION", { tenant: "" }],
    ["an unknown definition", "INVALID_OPTION", { name: "reports" }],
    ["a tenant of 256 characters", "INVALID_OPTION", { tenant: "x".repeat(256), key: "k" }],
    ["a tenant with NUL", "INVALID_OPTION", { tenant: "x\0", key: "k" }],
    ["a tenant with one half of a surrogate pair", "INVALID_OPTION", { tenant: "x\ud800", key: "k" }],
  ])("is refused for %s as %s, and the transaction can continue", async (_, code, given) => {
    const stage = await createTransactionStage(server);
    await stage.submit("used");
    const { name, input, ...options } = { name: "orders", input: ORDER, tenant: TENANT, ...given };
    await within("rollback", async (other) => {
      await submitIn(stage, other, "held");
      await within("commit", async (tx) => {
        const definition = { ...stage.service.definitions[0], name: name as "orders" };
        const submitting = stage.service.submit(definition, input as Order, { tx, ...options });
        await expect(submitting).rejects.toMatchObject({ code });
        await stage.write(tx, (await submitIn(stage, tx, "next")).operationId);
      });
    });
    expect(await stage.effects()).toEqual([(await stage.operations()).find(({ key }) => key === "next")?.id]);
  });

  it("treats a key with spaces and quotes like the quoted key of a client", async () => {
    const stage = await createTransactionStage(server);
    const { operationId } = await within("commit", (tx) => submitIn(stage, tx, 'the "first" one'));
    expect(idOf(await stage.submit('"the \\"first\\" one"'))).toBe(operationId);
  });

  it("must have a key if requests must have one", async () => {
    const { backend } = await createTransactionStage(server);
    const definitions = [defineOrders({ idempotencyKey: "required" })] as const;
    const strict = createService({ backend, definitions, authorize: allowAnonymous() });
    await within("rollback", async (tx) => {
      const keyless = strict.submit(definitions[0], ORDER, { tx, tenant: TENANT });
      await expect(keyless).rejects.toMatchObject({ code: "MISSING_IDEMPOTENCY_KEY" });
    });
  });

  it("creates the resource within the transaction, once per key", async () => {
    const stage = await createTransactionStage(server);
    const create = vi.fn(async (_order: Order, { tx, operationId }: CreateContext<PoolClient>) => {
      await stage.write(tx, operationId);
      return { body: { operationId }, location: "/made" };
    });
    const service = createOrderService({ backend: stage.backend, authorize: allowAnonymous(), create });
    const submit = (tx: PoolClient) =>
      service.submit(service.definitions[0], ORDER, { tx, tenant: TENANT, key: "k" });
    await within("rollback", submit);
    expect([await stage.operations(), await stage.effects()]).toEqual([[], []]);
    const made = await within("commit", submit);
    expect(made).toMatchObject({ replayed: false, resource: { location: "/made" } });
    expect(await within("commit", submit)).toEqual({ ...made, replayed: true });
    expect([create.mock.calls.length, await stage.effects()]).toEqual([2, [made.operationId]]);
  });

  const [BEFORE, HALF_DONE, AFTER] = [1, 2, 3].map(
    (digit) => `00000000-0000-7000-8000-00000000000${digit}`,
  ) as [string, string, string];

  it("can continue after a failed creation, without its writes", async () => {
    const stage = await createTransactionStage(server);
    const create = async (_order: Order, { tx }: CreateContext<PoolClient>) => {
      await stage.write(tx, HALF_DONE);
      throw new Error("the warehouse is closed");
    };
    const service = createOrderService({ backend: stage.backend, authorize: allowAnonymous(), create });
    await within("commit", async (tx) => {
      await stage.write(tx, BEFORE);
      const submitting = service.submit(service.definitions[0], ORDER, { tx, tenant: TENANT, key: "k" });
      await expect(submitting).rejects.toThrow("the warehouse is closed");
      await stage.write(tx, AFTER);
    });
    expect([await stage.operations(), await stage.effects()]).toEqual([[], [BEFORE, AFTER]]);
  });

  it("may be the first use of the back end, even with the last connection of the pool", async () => {
    const pool = openTestPool({ max: 1 });
    const backend = server.open({ pool, schema: server.newSchema() });
    const service = createOrderService({ backend, authorize: allowAnonymous() });
    const submit = (tx: PoolClient) => service.submit(service.definitions[0], ORDER, { tx, tenant: TENANT });
    // The schema is rolled back too.
    await endingWith("rollback", pool, submit);
    const { operationId } = await endingWith("commit", pool, submit);
    expect((await backend.operations.get(operationId, TENANT))?.state).toBe("pending");
  });

  it.each<[string, (pool: unknown) => unknown, string]>([
    [
      "the pool",
      (pool) => pool,
      "Option `tx` is the pool or the database itself, whose statements run outside of your transaction. Pass",
    ],
    ["null", () => null, "Option `tx` must be"],
    ["a transaction of another client", () => ({ execute: () => {} }), "Option `tx` must be"],
  ])("is refused and not recorded if it is given %s", async (_, toTx, beginning) => {
    const stage = await createTransactionStage(server);
    const tx = toTx(server.pool) as PoolClient;
    const thrown: unknown = await submitIn(stage, tx).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "INVALID_OPTION" });
    const { detail } = thrown as { readonly detail: string };
    expect(detail.startsWith(beginning)).toBe(true);
    expect(detail).toContain(
      'the connection of your open transaction: `const tx = await pool.connect()`, then `await tx.query("begin")`',
    );
    expect(await stage.operations()).toEqual([]);
  });

  it("names the option for ORMs if it is given a transaction of another client", async () => {
    const stage = await createTransactionStage(server);
    const submitting = submitIn(stage, { execute: () => {} } as unknown as PoolClient);
    await expect(submitting).rejects.toThrow(
      "pass `transactions` to `createPostgresBackend`, such as `fromDrizzle(db)`",
    );
  });

  it("can be prepared for a commit in two phases if the back end does not listen", async ({ skip }) => {
    const { rows } = await server.pool.query("show max_prepared_transactions");
    skip(rows[0]?.max_prepared_transactions === "0", "The server has no `max_prepared_transactions`.");
    const name = server.newSchema();
    const prepare = async (listen: boolean) => {
      const stage = await createTransactionStage(server, { backend: { listen } });
      await within("commit", async (tx) => {
        await submitIn(stage, tx);
        await tx.query(`prepare transaction '${name}'`);
      });
      return stage;
    };
    await expect(prepare(true)).rejects.toThrow("NOTIFY");
    const stage = await prepare(false);
    expect(await stage.operations()).toEqual([]);
    await server.pool.query(`commit prepared '${name}'`);
    expect(await stage.operations()).toMatchObject([{ state: "pending" }]);
  });

  it("needs a back end that shares its transactions", async () => {
    const backend = createMemoryStores();
    const service = createOrderService<PoolClient>({ backend, authorize: allowAnonymous() });
    await within("rollback", async (tx) => {
      const submitting = service.submit(service.definitions[0], ORDER, { tx, tenant: TENANT });
      await expect(submitting).rejects.toMatchObject({ code: "NO_TRANSACTIONS" });
    });
  });
});

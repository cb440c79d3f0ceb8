import type { SubmitOutcome } from "async-request-reply";
import { allowAnonymous, createOrderService, createWorker, type Order } from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { claimOnce } from "../../support/claims.js";
import { describePostgres } from "../../support/postgres/server.js";
import { signalOf } from "../../support/worker-stage.js";
import {
  countFailures,
  countStatements,
  interceptStatements,
  loseOneAnswer,
  RECORD,
} from "./intercepted-statements.js";
import { createTransactionStage, ORDER, TENANT, type TransactionStage } from "./transaction-stage.js";
import { endingWith } from "./user-transaction.js";

const words = (outcomes: readonly SubmitOutcome[]) =>
  outcomes.map((each) => (each.outcome === "refused" ? each.error.code : each.outcome));

const idOf = (outcome: SubmitOutcome | undefined) =>
  outcome === undefined || outcome.outcome === "refused" ? "" : outcome.operationId;

const numbered = (count: number, prefix = "k", input: Order = ORDER) =>
  Array.from({ length: count }, (_, index) => ({ input, key: `${prefix}${index}` }));

const POISON = { input: { ...ORDER, itemId: "poison" }, key: "poison" };

await describePostgres("submitting many on Postgres", (server) => {
  type Items = Parameters<TransactionStage["service"]["submitMany"]>[1];

  const submitMany = ({ service }: TransactionStage, items: Items, tx?: PoolClient) =>
    service.submitMany(service.definitions[0], items, { tenant: TENANT, ...(tx && { tx }) });

  /** Lets the table refuse rows with a word in their input. */
  async function refusePoison({ schema }: TransactionStage) {
    await server.pool.query(
      `alter table "${schema}".operations add constraint no_poison check (input not like '%poison%')`,
    );
  }

  it("takes one statement for 1,000 items, and wakes a waiting worker", async () => {
    const { pool, seen } = countStatements(server.pool, RECORD);
    const pollIntervalMs = 3_600_000;
    const stage = await createTransactionStage(server, { backend: { pool, pollIntervalMs } });
    const done = vi.fn();
    const worker = createWorker(
      stage.service,
      { orders: done },
      { concurrency: 50, sweepIntervalMs: pollIntervalMs },
    );
    await worker.start();
    onTestFinished(() => stage.service.close());
    const items = numbered(1_000, "k", { ...ORDER, itemId: "x".repeat(255) });
    const outcomes = await submitMany(stage, items);
    expect(new Set(words(outcomes))).toEqual(new Set(["created"]));
    expect(seen.count).toBe(1);
    await vi.waitUntil(() => done.mock.calls.length === 1_000);
  });

  it("refuses an item alone that the database cannot store", async () => {
    const stage = await createTransactionStage(server);
    await refusePoison(stage);
    const outcomes = await submitMany(stage, [...numbered(2), POISON, ...numbered(1, "z")]);
    expect(words(outcomes)).toEqual(["created", "created", "INTERNAL", "created"]);
    expect((await stage.operations()).map(({ key }) => key).sort()).toEqual(["k0", "k1", "z0"]);
  });

  it("refuses an item alone whose key another transaction holds for longer than a second", async () => {
    const stage = await createTransactionStage(server);
    const outcomes = await endingWith("rollback", server.pool, async (tx) => {
      await submitMany(stage, numbered(1), tx);
      return submitMany(stage, numbered(3));
    });
    expect(words(outcomes)).toEqual(["SUBMISSION_IN_PROGRESS", "created", "created"]);
    expect(words(await submitMany(stage, numbered(3)))).toEqual(["created", "replayed", "replayed"]);
  });

  it("waits for a key whose transaction commits within a second", async () => {
    const { pool, failures } = countFailures(server.pool, (_, { text }) => RECORD.test(text));
    const stage = await createTransactionStage(server, { backend: { pool } });
    let waiting: Promise<readonly SubmitOutcome[]> | undefined;
    const held = await endingWith("commit", server.pool, async (tx) => {
      const outcomes = await submitMany(stage, numbered(2), tx);
      waiting = submitMany(stage, numbered(3));
      // It tries again, instead of refusing the items.
      await vi.waitUntil(() => failures.count === 2);
      return outcomes;
    });
    const outcomes = (await waiting) ?? [];
    expect(words(outcomes)).toEqual(["replayed", "replayed", "created"]);
    expect(outcomes.slice(0, 2).map(idOf)).toEqual(held.map(idOf));
  });

  it("does not delay other lists while one waits for a key", async () => {
    const stage = await createTransactionStage(server, { backend: { maxInFlight: 1 } });
    const done: string[] = [];
    const { held, other } = await endingWith("rollback", server.pool, async (tx) => {
      await submitMany(stage, numbered(1), tx);
      const held = submitMany(stage, numbered(3)).finally(() => done.push("held"));
      const other = await submitMany(stage, numbered(3, "other")).finally(() => done.push("other"));
      return { held, other };
    });
    for (const each of [other, await held]) expect(words(each)).toEqual(["created", "created", "created"]);
    expect(done).toEqual(["other", "held"]);
  });

  it("does not let a list wait for a key if maxWaiting lists wait already", async () => {
    const { pool, failures } = countFailures(server.pool, (_, { text }) => RECORD.test(text));
    const stage = await createTransactionStage(server, { backend: { pool, maxWaiting: 1 } });
    const { waiting, refused } = await endingWith("rollback", server.pool, async (tx) => {
      await submitMany(stage, numbered(1), tx);
      const waiting = submitMany(stage, numbered(2));
      await vi.waitUntil(() => failures.count > 0);
      return { waiting, refused: await submitMany(stage, [...numbered(1), ...numbered(1, "other")]) };
    });
    expect(words(refused)).toEqual(["SUBMISSION_IN_PROGRESS", "created"]);
    expect(words(await waiting)).toEqual(["created", "created"]);
  });

  it("answers within its time limit, also if all of 1,000 keys are held", async () => {
    const stage = await createTransactionStage(server);
    const outcomes = await endingWith("rollback", server.pool, async (tx) => {
      expect(new Set(words(await submitMany(stage, numbered(1_000), tx)))).toEqual(new Set(["created"]));
      return submitMany(stage, [...numbered(1_000).slice(1), { input: ORDER, key: "free" }]);
    });
    expect(words(outcomes)).toEqual([...Array<string>(999).fill("SUBMISSION_IN_PROGRESS"), "created"]);
  });

  it("creates one operation per key if two processes submit the same items in different orders", async () => {
    const stage = await createTransactionStage(server);
    const backend = createPostgresBackend({ pool: server.pool, schema: stage.schema, listen: false });
    const other = createOrderService({ backend, authorize: allowAnonymous(), observe: false });
    const items = numbered(300);
    const [one, two] = await Promise.all([
      submitMany(stage, items),
      other.submitMany(other.definitions[0], items.toReversed(), { tenant: TENANT }),
    ]);
    await backend.close();
    expect(two.map(idOf)).toEqual(one.map(idOf).reverse());
    expect(await stage.operations()).toHaveLength(300);
  });

  it("creates nothing twice if the connection is lost after the commit", async () => {
    const { pool, repeated } = loseOneAnswer(server.pool, RECORD);
    const stage = await createTransactionStage(server, { backend: { pool } });
    const outcomes = await submitMany(stage, [...numbered(3), { input: ORDER }]);
    expect(words(outcomes)).toEqual(["created", "created", "created", "created"]);
    expect((await stage.operations()).map(({ id }) => id).sort()).toEqual(outcomes.map(idOf).sort());
    expect(repeated()).toBe(true);
  });

  it("rejects with OVERLOADED if too many lists wait, and records none of the last one", async () => {
    const [sent, blocked] = [signalOf(), signalOf()];
    const pool = interceptStatements(server.pool, async ({ text }, run) => {
      if (RECORD.test(text)) {
        sent.resolve();
        await blocked.promise;
      }
      return run();
    });
    const stage = await createTransactionStage(server, { backend: { pool, maxWaiting: 1, maxInFlight: 1 } });
    const first = submitMany(stage, numbered(2, "first"));
    await sent.promise;
    const second = submitMany(stage, numbered(2, "second"));
    await expect(submitMany(stage, numbered(2, "third"))).rejects.toMatchObject({ code: "OVERLOADED" });
    blocked.resolve();
    expect([...words(await first), ...words(await second)]).toEqual(Array<string>(4).fill("created"));
    const keys = (await stage.operations()).map(({ key }) => key).sort();
    expect(keys).toEqual(["first0", "first1", "second0", "second1"]);
  });

  it("writes all items in the transaction of the caller, and wakes a worker once it commits", async () => {
    const pollIntervalMs = 3_600_000;
    const stage = await createTransactionStage(server, { backend: { pollIntervalMs } });
    const done: string[] = [];
    const worker = createWorker(
      stage.service,
      { orders: (_, job) => done.push(job.operationId) },
      { sweepIntervalMs: pollIntervalMs, drainTimeoutMs: 50 },
    );
    await worker.start();
    const run = async (tx: PoolClient) => {
      const outcomes = await submitMany(stage, numbered(30), tx);
      await stage.write(tx, idOf(outcomes[0]));
      expect(await stage.operations()).toEqual([]);
      return outcomes;
    };
    onTestFinished(() => stage.service.close());
    await endingWith("rollback", server.pool, run);
    expect([await stage.operations(), await stage.effects()]).toEqual([[], []]);
    const outcomes = await endingWith("commit", server.pool, run);
    expect(await stage.effects()).toEqual([idOf(outcomes[0])]);
    await vi.waitUntil(() => done.length === 30);
    expect([...done].sort()).toEqual(outcomes.map(idOf).sort());
    expect(stage.events.filter(({ event }) => event === "operation.accepted")).toEqual([]);
  });

  it("lets the next claim begin all items of a transaction that has committed", async () => {
    const stage = await createTransactionStage(server);
    const outcomes = await endingWith("commit", server.pool, (tx) => submitMany(stage, numbered(5), tx));
    const begun = await claimOnce(stage.backend);
    expect(begun.map(({ id }) => id).sort()).toEqual(outcomes.map(idOf).sort());
  });

  it("refuses items alone in the transaction of the caller, which stays usable", async () => {
    const stage = await createTransactionStage(server);
    await refusePoison(stage);
    await submitMany(stage, numbered(2, "known"));
    const outcomes = await endingWith("rollback", server.pool, async (holder) => {
      await submitMany(stage, numbered(1, "held"), holder);
      return endingWith("commit", server.pool, async (tx) => {
        const items = [
          { input: ORDER, key: "known0" },
          { input: { ...ORDER, quantity: 9 }, key: "known1" },
          { input: ORDER, key: "held0" },
          POISON,
          { input: { ...ORDER, quantity: 0 } },
          { input: ORDER, key: "new" },
        ];
        const found = await submitMany(stage, items, tx);
        await stage.write(tx, idOf(found[5]));
        return found;
      });
    });
    expect(words(outcomes)).toEqual([
      "replayed",
      "IDEMPOTENCY_KEY_REUSED",
      "SUBMISSION_IN_PROGRESS",
      "INTERNAL",
      "CONTRACT_VIOLATION",
      "created",
    ]);
    expect(await stage.effects()).toEqual([idOf(outcomes[5])]);
    expect((await stage.operations()).map(({ key }) => key).sort()).toEqual(["known0", "known1", "new"]);
  });
});

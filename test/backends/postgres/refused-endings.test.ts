import {
  allowAnonymous,
  type CreateContext,
  type CreatedResource,
  createOrderService,
  createWorker,
  type Order,
  permanentFailure,
} from "async-request-reply";
import { type Operation, problemType } from "async-request-reply/ports";
import type { PoolClient } from "pg";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { noting } from "../noting.js";
import { createTransactionStage, type TransactionStage } from "./transaction-stage.js";

type Create = (order: Order, context: CreateContext<PoolClient>) => Promise<CreatedResource>;

const errorOf = ({ error = "{}" }: Operation) => JSON.parse(error);

await describePostgres("an ending that the database refuses", (server) => {
  /** A database that stores only ASCII. */
  async function stageInAscii() {
    const stage = await createTransactionStage(server, { backend: { schema: server.newSchema() } });
    await server.pool.query(
      `alter table "${stage.schema}".operations add check (concat(progress, result, resource, error) !~ '[^ -~]')`,
    );
    return stage;
  }

  describe("in a transaction", () => {
    let stage: TransactionStage;
    let id: string;
    beforeEach(async () => {
      stage = await stageInAscii();
      id = await stage.submitted();
    });

    it("fails the operation at once if it is the result, and undoes the writes", async () => {
      const thrown: unknown[] = [];
      await stage.work((_, job) => {
        const working = job.transaction((tx) => stage.write(tx, id).then(() => "🦊"));
        return working.catch(noting(thrown));
      });
      expect(thrown).toMatchObject([{ code: "INVALID_RESULT", cause: { code: "23514" } }]);
      expect(await stage.effects()).toEqual([]);
      const operation = await stage.read(id);
      expect(operation).toMatchObject({ state: "failed", attempt: 1 });
      expect(errorOf(operation)).toMatchObject({
        type: problemType("invalid-result"),
        detail: "The result of the work cannot be stored: The store refused it.",
      });
    });

    it("completes it without the progress if it is only that", async () => {
      await stage.work((_, job) => {
        job.progress("🦊");
        return job.transaction((tx) => stage.write(tx, id).then(() => "done"));
      });
      const operation = await stage.read(id);
      expect(operation).toMatchObject({ state: "completed", result: '"done"', attempt: 1 });
      expect(operation.progress).toBeUndefined();
      expect(await stage.effects()).toEqual([id]);
    });

    it("keeps progress that it can store", async () => {
      await stage.work((_, job) => {
        job.progress("half");
        return job.transaction(async () => "done");
      });
      expect(await stage.read(id)).toMatchObject({ state: "completed", progress: '"half"' });
    });

    it("is retried if the database refuses what the function wrote", async () => {
      await server.pool.query(
        `create table "${stage.schema}".taken (id integer primary key deferrable initially deferred)`,
      );
      const attempts: number[] = [];
      const worker = createWorker(
        stage.service,
        {
          orders: (_, job) => {
            attempts.push(job.attempt);
            return job.transaction(async (tx) => {
              // The commit refuses the second row.
              if (job.attempt === 1) await tx.query(`insert into "${stage.schema}".taken values (1), (1)`);
              return "done";
            });
          },
        },
        { backoff: { baseMs: 1, maxMs: 1 } },
      );
      await expect
        .poll(() => worker.runUntilIdle().then(() => stage.read(id)))
        .toMatchObject({ state: "completed" });
      expect(attempts).toEqual([1, 2]);
    });
  });

  describe.each([
    ["in the transaction that settles it", true],
    ["under a lease", false],
  ])("of a creation that a worker finishes %s", (_, shares) => {
    /** Leaves a submission half-done, finishes it, and returns the operation. */
    async function finish(stage: TransactionStage, create: Create) {
      const { submissions, ...stores } = stage.backend;
      const backend = shares
        ? stage.backend
        : { ...stores, submissions: { ...submissions, transactions: undefined } };
      const service = createOrderService<PoolClient>({
        backend: backend as TransactionStage["backend"],
        authorize: allowAnonymous(),
        create,
        observe: () => {},
      });
      const id = await stage.leaveHalfDone("k");
      await expect
        .poll(async () => {
          await createWorker(service, { orders: () => {} }).runUntilIdle();
          return stage.read(id);
        })
        .not.toMatchObject({ state: "preparing" });
      return stage.read(id);
    }

    it.each<[string, Create, Parameters<typeof problemType>[0], string]>([
      [
        "fails the operation after one call if it is the resource",
        async () => ({ body: { fox: "🦊" } }),
        "invalid-result",
        "The store refused the resource, so no work was done.",
      ],
      [
        "fails it without the reason if it is that, after one call",
        async () => {
          throw permanentFailure("sold out 🦊");
        },
        "work-failed",
        "The work failed, but the store refused the reason.",
      ],
    ])("%s", async (__, create, problem, detail) => {
      const counted = vi.fn(create);
      const operation = await finish(await stageInAscii(), counted);
      expect(operation).toMatchObject({ state: "failed" });
      expect(errorOf(operation)).toMatchObject({ type: problemType(problem), detail });
      expect(counted).toHaveBeenCalledTimes(1);
    });
  });

  it("fails a submission without the reason if `create` fails for good", async () => {
    const stage = await createTransactionStage(server, {
      backend: { schema: server.newSchema() },
      create: () => {
        throw permanentFailure("sold out 🦊");
      },
    });
    await server.pool.query(
      `alter table "${stage.schema}".operations add check (coalesce(error, '') !~ '[^ -~]')`,
    );
    expect((await stage.submit("k")).status).toBe(202);
    expect((await stage.operations()).map(errorOf)).toMatchObject([
      { detail: "The work failed, but the store refused the reason." },
    ]);
  });
});

import { createService, createWorker, defineOperation } from "async-request-reply";
import type { PoolClient } from "pg";
import { expect, it, vi } from "vitest";
import * as z from "zod";
import { declareOutputTransactions } from "../../support/output-transactions.js";
import { describePostgres } from "../../support/postgres/server.js";
import { type LossAt, losingCommit } from "./lost-commit.js";
import { openMigrated } from "./submissions.js";

const imports = defineOperation({
  name: "imports",
  path: "/imports",
  input: z.unknown(),
  chunk: z.string(),
  checkpoint: z.int(),
});

await describePostgres("output in transactions of the user", (server) => {
  /** Opens a back end with an empty table for effects. */
  async function opened(options?: Parameters<typeof openMigrated>[1]) {
    const backend = await openMigrated(server, options);
    const table = `${backend.schema}.noted_effects`;
    await server.pool.query(`create table if not exists ${table} (seq serial, effect text)`);
    await server.pool.query(`delete from ${table}`);
    return {
      backend,
      write: async (tx: unknown, effect: string): Promise<void> => {
        await (tx as PoolClient).query(`insert into ${table} (effect) values ($1)`, [effect]);
      },
      effects: async () =>
        (await server.pool.query(`select effect from ${table} order by seq`)).rows.map(
          ({ effect }) => effect,
        ),
    };
  }

  declareOutputTransactions(async () => {
    const { backend, write, effects } = await opened();
    const { append } = backend.submissions.transactions ?? {};
    if (append === undefined) throw new Error("expected transactions that append");
    return {
      backend,
      write,
      effects,
      append: (lease, effect, output) =>
        append(lease, async (tx) => {
          await write(tx, effect);
          return output();
        }),
    };
  });

  it.each<LossAt>(["before the commit", "after the commit"])(
    "repeats no batch if the answer is lost %s, even if the processor catches the error",
    async (at) => {
      const { backend, write, effects } = await opened({ pool: losingCommit(server.pool, at) });
      const service = createService({ definitions: [imports], backend, observe: false });
      const { operationId } = await service.submit(imports, {});
      const worker = createWorker(
        service,
        {
          imports: async (_, job) => {
            for (let batch = job.resumed ?? 0; batch < 3; batch += 1)
              await job
                .checkpoint(batch + 1, async (tx) => {
                  void job.write(`chunk ${batch}`);
                  await write(tx, `batch ${batch}`);
                })
                .catch(() => {});
          },
        },
        { backoff: { baseMs: 1, maxMs: 1 } },
      );
      await vi.waitUntil(async () => {
        await worker.runUntilIdle();
        return (await service.get(imports, operationId))?.status === "completed";
      });
      expect(await effects()).toEqual(["batch 0", "batch 1", "batch 2"]);
      const [slice] = await backend.output.read([{ id: operationId, maxLength: 1_000 }]);
      expect(slice?.chunks).toEqual(['"chunk 0"', '"chunk 1"', '"chunk 2"']);
      expect(await service.get(imports, operationId)).toMatchObject({ attempt: 2 });
    },
  );
});

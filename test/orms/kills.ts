import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import * as bridges from "async-request-reply/postgres";
import { expect, it, vi } from "vitest";
import { describePostgres } from "../support/postgres/server.js";
import { createRandom } from "../support/random.js";
import { DATABASE_URL, newName } from "./database.js";
import type { OrmLibrary } from "./library.js";

const POINTS = [
  "before-row",
  "before-commit",
  "during-commit",
  "before-reply",
  "before-effect",
  "before-completion",
  "during-completion",
] as const;
const SEED = Number(process.env.ORM_SEED ?? 20_261_126);
/** Number of kills. Each point has its turn. */
const KILLS = Number(process.env.ORM_KILLS ?? 7);

/** Declares that kills leave both or neither: rows and operations, effects and completions. */
export async function describeKills({ name, open }: OrmLibrary, file: string): Promise<void> {
  await describePostgres(`processes with ${name} that are killed`, (server) => {
    it(`leave both or neither, ${KILLS} times (seed ${SEED})`, async () => {
      const random = createRandom(SEED);
      const schema = newName();
      const orm = await open(DATABASE_URL, bridges);
      const { pool, transactions } = orm;
      const backend = bridges.createPostgresBackend({ pool, transactions, schema });
      const count = async (text: string): Promise<number> => {
        const { rows } = await server.pool.query<{ count: string }>(text.replaceAll("$", `"${schema}".`));
        return Number(rows[0]?.count);
      };
      try {
        await backend.migrate();
        await server.pool.query(`create table "${schema}".submitted (id uuid)`);
        await server.pool.query(`create table "${schema}".effects (id uuid)`);
        for (let killed = 0; killed < KILLS; killed += 1) {
          const passes = String(1 + random.below(5));
          const args = [file, DATABASE_URL, schema, POINTS[killed % POINTS.length] as string, passes];
          const child = fork(fileURLToPath(new URL("kill-process.mjs", import.meta.url)), args, {
            stdio: "inherit",
          });
          const [, signal] = await once(child, "exit");
          expect(signal).toBe("SIGKILL");
        }
        const service = createOrderService({ backend, authorize: allowAnonymous(), observe: () => {} });
        const worker = createWorker(
          service,
          {
            orders: (_, job) =>
              job.transaction((tx) =>
                orm.run(tx, `insert into "${schema}".effects values ('${job.operationId}')`),
              ),
          },
          // Kills have used up attempts, and the wait would grow with each.
          { maxAttempts: 1_000, backoff: { baseMs: 1, maxMs: 1 } },
        );
        await worker.start();
        await vi.waitUntil(() =>
          count("select count(*) from $operations where state <> 'completed'").then((open) => open === 0),
        );
        await worker.stop();
        const operations = await count("select count(*) from $operations");
        expect(operations).toBeGreaterThan(0);
        expect(await count("select count(*) from $submitted join $operations using (id)")).toBe(operations);
        expect(await count("select count(*) from $submitted")).toBe(operations);
        expect(await count("select count(distinct id) from $effects")).toBe(operations);
        expect(await count("select count(*) from $effects")).toBe(operations);
      } finally {
        await backend.close();
        await orm.close();
        await server.pool.query(`drop schema if exists "${schema}" cascade`);
      }
    }, 3_600_000);
  });
}

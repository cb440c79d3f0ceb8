import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type JobOf,
} from "async-request-reply";
import type { Writes } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createSqliteBackend } from "async-request-reply/sqlite";
import type { Pool, PoolClient } from "pg";
import * as z from "zod";
import { authorize, type Database } from "./definitions.js";

declare const pool: Pool;
declare const database: Database;

const input = z.object({ file: z.string() });
const rows = defineOperation({
  name: "rows",
  path: "/rows",
  input,
  chunk: z.object({ id: z.int(), at: z.string().transform(Number) }),
  checkpoint: z.object({ after: z.string().transform(Number) }),
});
const logs = defineOperation({ name: "logs", path: "/logs", input, chunk: z.string() });
const imports = defineOperation({ name: "imports", path: "/imports", input, checkpoint: z.int() });
const plain = defineOperation({ name: "plain", path: "/plain", input });
const definitions = [rows, logs, imports, plain] as const;

/** Jobs have the members of their definition: the input of its schemas, and the output for `resumed`. */
createWorker(createService({ backend: createPostgresBackend({ pool }), definitions, authorize }), {
  rows: async (_, job) => {
    const after: number | undefined = job.resumed?.after;
    await job.write({ id: 1, at: "2" });
    await job.pipe(new ReadableStream<{ id: number; at: string }>());
    await job.checkpoint({ after: String(after) });
    const count: number | null = await job.checkpoint(
      { after: "1" },
      async (tx) => (await tx.query("select 1")).rowCount,
    );
    await job.write({ id: count ?? 0, at: "2" });
    // @ts-expect-error -- not a chunk
    await job.write({ id: 1, at: 2 });
    // @ts-expect-error -- not a checkpoint
    await job.checkpoint({ after: 1 });
  },
  logs: {
    run: async (_, job) => {
      await job.pipe(
        (async function* () {
          yield "a";
        })(),
      );
      // @ts-expect-error -- no `checkpoint` in the definition
      await job.checkpoint(1);
      // @ts-expect-error -- no `checkpoint` in the definition
      return job.resumed;
    },
  },
  imports: async (_, job) => {
    await job.checkpoint((job.resumed ?? 0) + 1, (tx) => tx.query("select 1"));
    // @ts-expect-error -- no `chunk` in the definition
    await job.write("x");
    // @ts-expect-error -- no `chunk` in the definition
    await job.pipe([]);
  },
  plain: (_, job) => {
    // @ts-expect-error -- no `chunk` in the definition
    job.write("x");
    // @ts-expect-error -- no `checkpoint` in the definition
    job.checkpoint(1);
  },
});

/** On SQLite, the function must be synchronous. */
createWorker(createService({ backend: createSqliteBackend({ database }), definitions, authorize }), {
  imports: async (_, job) => {
    const { changes } = await job.checkpoint(1, (own) =>
      own.prepare("insert into reports values (?)").run(1),
    );
    await job.checkpoint(changes + 1);
    // @ts-expect-error -- asynchronous
    await job.checkpoint(3, async () => 1);
  },
});

/** In memory, there are no transactions. */
createWorker(createService({ backend: createMemoryBackend(), definitions, authorize }), {
  imports: async (_, job) => {
    await job.checkpoint(1);
    // @ts-expect-error -- there are no transactions
    await job.checkpoint(1, () => 1);
  },
});

/** Functions can name a job, or only what they use of it. */
const importRows = async (_: { file: string }, job: JobOf<typeof rows, PoolClient>): Promise<void> => {
  await logInto(job);
  await job.checkpoint({ after: "1" }, (tx) => tx.query("select 1"));
};
const logInto = (job: Writes<{ id: number; at: string }>): Promise<void> => job.write({ id: 1, at: "2" });
createWorker(createService({ backend: createPostgresBackend({ pool }), definitions, authorize }), {
  rows: importRows,
});

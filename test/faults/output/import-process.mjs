// A worker that imports rows in batches, on Postgres or SQLite. Each batch is one commit with its checkpoint.
import { createWorker, defineOperation } from "async-request-reply";
import { openPostgresStore } from "../../driver/postgres-store.mjs";
import { openSqliteStore } from "../../driver/sqlite-store.mjs";

const { url } = JSON.parse(process.argv[2]);
const isSqlite = url.startsWith("sqlite:");

/** Takes any value that JSON can represent. */
const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const imports = defineOperation({ name: "imports", path: "/imports", input: anything, checkpoint: anything });
const { backend } = (isSqlite ? openSqliteStore : openPostgresStore)(url, { listen: true });

const INSERT = "insert into imported (number, attempt)";

/** Inserts a batch in two statements, so that there is a time between them. */
async function insert(tx, first, end, attempt) {
  const middle = Math.floor((first + end) / 2);
  const text = `${INSERT} select n, $3::integer from generate_series($1::integer, $2::integer - 1) as n`;
  await tx.query(text, [first, middle, attempt]);
  await tx.query(text, [middle, end, attempt]);
}

/** Inserts a batch row by row. */
function insertNow(database, first, end, attempt) {
  const statement = database.prepare(`${INSERT} values (?, ?)`);
  for (let number = first; number < end; number += 1) statement.run(number, attempt);
}

const insertBatch = isSqlite ? insertNow : insert;
const worker = createWorker(
  { definitions: [imports], backend, observe: () => {} },
  {
    imports: async ({ rows, size }, job) => {
      const { attempt } = job;
      for (let first = job.resumed ?? 0; first < rows; first += size) {
        const end = Math.min(first + size, rows);
        process.send({ step: "begins" });
        await job.checkpoint(end, (tx) => insertBatch(tx, first, end, attempt));
        process.send({ step: "ends" });
      }
      process.send({ step: "finished" });
    },
  },
  { leaseMs: 1_000, maxAttempts: 10_000 },
);
await worker.start();
process.send({ started: 0 });
process.on("disconnect", () => process.exit());

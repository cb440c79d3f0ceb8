// A worker that writes numbers, with a checkpoint now and then, on the store in its first argument.
import { setTimeout as sleep } from "node:timers/promises";
import { createWorker, defineOperation } from "async-request-reply";
import { openPostgresStore } from "../driver/postgres-store.mjs";
import { openSqliteStore } from "../driver/sqlite-store.mjs";

const [url, count] = process.argv.slice(2);

/** Takes any value that JSON can represent. */
const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const numbers = defineOperation({
  name: "numbers",
  path: "/numbers",
  input: anything,
  chunk: anything,
  checkpoint: anything,
});

const { backend } = (url.startsWith("sqlite:") ? openSqliteStore : openPostgresStore)(url, { listen: true });
const worker = createWorker(
  { definitions: [numbers], backend, observe: () => {} },
  {
    numbers: async (_, job) => {
      for (let next = job.resumed ?? 0; next < Number(count); next += 1) {
        await job.write(next);
        if (next % 16 === 15) await job.checkpoint(next + 1);
        await sleep(1);
      }
    },
  },
  { leaseMs: 1_000, concurrency: 20 },
);
await worker.start();
process.send("started");
process.on("disconnect", () => process.exit());

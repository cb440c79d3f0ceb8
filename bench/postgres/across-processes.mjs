// A client waits in one process until a worker in another one has done the work, on Postgres. Compares `Prefer: wait` with polling
// every second and with LISTEN and NOTIFY by hand: `npm run build:start && node bench/postgres/across-processes.mjs`. Uses the server at DATABASE_URL. Default: the one on this machine.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { allowAnonymous, createOrderService, createWorker } from "../../dist/index.js";
import { createPostgresBackend } from "../../dist/postgres.js";

const COUNT = Number(process.env.BENCH_COUNT ?? 100);
const POLL_MS = 1_000;
const GOAL_MS = 20;
const connectionString = process.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/test";
const schema = process.argv[2] ?? `bench_waiting_${process.pid}`;
const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 5_000 });
const service = createOrderService({
  authorize: allowAnonymous(),
  backend: createPostgresBackend({ pool, schema }),
  observe: false,
});

if (process.send === undefined) await compare();
else await work();

/** The other process: works for the service, and by hand. */
async function work() {
  await createWorker(service, { orders: () => sleep(50 + Math.random() * 100) }).start();
  const byHand = new pg.Client({ connectionString });
  await byHand.connect();
  process.on("message", async (id) => {
    await sleep(50 + Math.random() * 100);
    await byHand.query(
      `with done as (update ${schema}.by_hand set done_at = clock_timestamp() where id = $1 returning id)
       select pg_notify('${schema}', id::text) from done`,
      [id],
    );
  });
  process.on("disconnect", () => process.exit());
  process.send("ready");
}

async function compare() {
  await service.backend.check().catch(() => {});
  await service.backend.migrate();
  await pool.query(`create table ${schema}.by_hand (id int primary key, done_at timestamptz)`);
  const other = fork(fileURLToPath(import.meta.url), [schema], { stdio: "inherit" });
  await once(other, "message");
  const listener = await createListener(other);
  const rows = [];
  for (const [name, lateness] of [
    ["Prefer: wait", () => submitted("wait=20")],
    [`polling every ${POLL_MS} ms`, () => submitted(undefined)],
    ["LISTEN by hand", listener],
  ]) {
    await lateness(); // warm-up
    const latenessMs = [];
    for (let done = 0; done < COUNT; done++) latenessMs.push(await lateness());
    latenessMs.sort((a, b) => a - b);
    const quantile = (share) => Number(latenessMs[Math.floor(share * (COUNT - 1))].toFixed(1));
    rows.push({ name, count: COUNT, "p50 ms": quantile(0.5), "p90 ms": quantile(0.9) });
  }
  console.log("From the end of the work in the database to the reply in another process:");
  console.table(rows);
  console.log(
    `Goal of Prefer: wait: p50 within ${GOAL_MS} ms: ${rows[0]["p50 ms"] <= GOAL_MS ? "met" : "missed"}.`,
  );
  other.disconnect();
  await once(other, "exit");
  await pool.query(`drop schema ${schema} cascade`);
  await service.close();
  await pool.end();
}

/** Submits, follows the operation to its end, and returns how late the end is known. Milliseconds. */
async function submitted(prefer) {
  const order = { itemId: "SKU-0001-BLUE", quantity: 2 };
  const { operationId } = await service.submit(service.definitions[0], order, { tenant: "anonymous" });
  const headers = prefer === undefined ? {} : { prefer };
  for (;;) {
    const reply = await service.handle({ method: "GET", path: `/operations/${operationId}`, headers });
    const { finishedAt } = JSON.parse(reply.body);
    if (finishedAt !== undefined) return Date.now() - Date.parse(finishedAt);
    if (prefer === undefined) await sleep(POLL_MS);
  }
}

/** Returns the same function for a table with NOTIFY. */
async function createListener(other) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`listen ${schema}`);
  other.once("exit", () => client.end());
  let id = 0;
  return async () => {
    id++;
    await pool.query(`insert into ${schema}.by_hand (id) values ($1)`, [id]);
    const notified = once(client, "notification");
    other.send(id);
    await notified;
    const { rows } = await pool.query(`select done_at from ${schema}.by_hand where id = $1`, [id]);
    return Date.now() - rows[0].done_at.getTime();
  };
}

import { randomUUID } from "node:crypto";
import pg from "pg";
import { DEFINITION } from "../inside/orders.mjs";
import { batched } from "./batched.mjs";
import { countOf, createPool, emptied, indexScansOnly, prepared } from "./pool.mjs";

const CLAIM = 128;
const POLL_MS = 1_000;

const insert = prepared(
  "insert",
  `insert into work (id, tenant, definition, key, fingerprint, input)
   select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
   on conflict do nothing`,
);
const claim = prepared(
  "claim",
  `with due as (
     select id from work where definition = $1 and state = 'pending' and due_at <= now()
     order by due_at limit ${CLAIM} for update skip locked)
   update work set token = $2, due_at = now() + interval '30 s' from due where work.id = due.id
   returning work.id, work.input`,
);
const complete = prepared(
  "complete",
  `update work set state = 'completed', settled_at = now()
   from unnest($1::uuid[]) as done (id) where work.id = done.id and work.token = $2 and work.state = 'pending'`,
);
const notify = prepared("notify", "select pg_notify('work', '')");

/**
 * The minimum, written by hand: one row holds operation, key and due work. Group commit, claims of 128 rows, and one statement
 * that completes a claim. It does not answer repeated keys and has no retries and no limits.
 */
export async function open({ url }) {
  const pool = createPool(url, indexScansOnly);
  await pool.query(`
    create table work (
      id uuid primary key, tenant text collate "C" not null, definition text collate "C" not null,
      key text collate "C" not null, fingerprint text not null, input text not null,
      state text not null default 'pending', token text, due_at timestamptz not null default now(),
      settled_at timestamptz, unique (tenant, definition, key));
    create index work_due on work (definition, due_at) where state = 'pending';`);
  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  await listener.query("listen work");

  const columns = ["id", "tenant", "definition", "key", "fingerprint", "input"];
  const record = batched((orders) =>
    pool.query(insert(columns.map((column) => orders.map((order) => order[column])))),
  );
  const announce = coalesced(() => pool.query(notify([])));
  let working = false;

  return {
    accept: async (order) => {
      await record(order);
      if (working) announce();
    },
    reset: () => emptied(pool, "work"),
    accepted: () => countOf(pool, "work"),
    completed: () => countOf(pool, "work where state = 'completed'"),
    startWork: async (hooks) => {
      working = true;
      const stop = startLoops({ pool, listener, ...hooks });
      return async () => {
        working = false;
        await stop();
      };
    },
    close: async () => {
      await listener.end();
      await pool.end();
    },
  };
}

function startLoops({ pool, listener, onStart, onCompleted }) {
  let running = true;
  let notified = false;
  let wake = () => {};
  const onNotification = () => {
    notified = true;
    wake();
  };
  listener.on("notification", onNotification);
  const nothingToDo = () =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (notified) wake();
    });
  const loop = async () => {
    const completing = new Set();
    while (running) {
      notified = false;
      const token = randomUUID();
      const { rows } = await pool.query(claim([DEFINITION, token]));
      if (rows.length === 0) {
        await nothingToDo();
        continue;
      }
      for (const { id } of rows) onStart?.(id);
      const completion = pool.query(complete([rows.map(({ id }) => id), token])).then(({ rowCount }) => {
        completing.delete(completion);
        onCompleted(rowCount);
      });
      completing.add(completion);
      // Completes one batch while it claims the next.
      if (completing.size > 1) await Promise.race(completing);
    }
    await Promise.all(completing);
  };
  const finished = loop();
  return async () => {
    running = false;
    wake();
    await finished;
    listener.off("notification", onNotification);
  };
}

/** Runs one call at a time, and one more for everything that arrived in the meantime. */
function coalesced(call) {
  let flying = false;
  let again = false;
  const run = async () => {
    flying = true;
    do {
      again = false;
      await call();
    } while (again);
    flying = false;
  };
  return () => {
    again = true;
    if (!flying) void run();
  };
}

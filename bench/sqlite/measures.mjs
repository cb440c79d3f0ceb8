import { randomUUID } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createSqliteBackend } from "../../dist/sqlite.js";
import { createPostgres } from "./postgres.mjs";

const DEFINITION = "orders";
const INPUT = JSON.stringify({ itemId: "book", quantity: 1, note: "x".repeat(100) });
const LEASE_MS = 60_000;

let submissions = 0;
let files = 0;

/** Creates the sections. Each returns its results by label. */
export function createMeasures({ folder, Database, seconds, finished, syncMs, postgresUrl }) {
  /** Opens an empty file. */
  function open() {
    const database = new Database(`${folder}/${++files}.db`);
    const slow = syncMs === 0 ? database : withSlowCommits(database, syncMs);
    const backend = createSqliteBackend({ database: slow });
    return { database, backend, close: async () => void database.close() };
  }

  const products = {
    SQLite: open,
    ...(postgresUrl === undefined ? {} : { Postgres: () => createPostgres(postgresUrl) }),
  };

  /** Calls `act` from some clients at once for the time of a sample. Returns the number of calls per second. */
  async function rateOf(clients, act, forSeconds = seconds) {
    const start = performance.now();
    const end = start + forSeconds * 1_000;
    let count = 0;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (performance.now() < end) {
          const done = await act();
          count += done;
        }
      }),
    );
    return (count * 1_000) / (performance.now() - start);
  }

  async function accept() {
    const results = {};
    for (const clients of [1, 32, 128]) {
      for (const [name, create] of Object.entries(products)) {
        const { backend, close } = await create();
        await backend.check();
        await rateOf(clients, () => record(backend), 0.3);
        const delay = monitorEventLoopDelay({ resolution: 1 });
        delay.enable();
        results[`${clients} clients, ${name}, accepted/s`] = await rateOf(clients, () => record(backend));
        delay.disable();
        results[`${clients} clients, ${name}, longest block of the event loop, ms`] = delay.max / 1e6;
        await close();
      }
      results[`${clients} clients, one INSERT and commit per request, accepted/s`] = await rawRate(clients);
    }
    return results;
  }

  async function rawRate(clients) {
    const { database } = open();
    database.exec(
      "pragma journal_mode = wal; pragma synchronous = full; create table raw (id text primary key, key text unique, input text)",
    );
    const insert = database.prepare("insert into raw values (?, ?, ?)");
    const rate = await rateOf(clients, async () => {
      insert.run(randomUUID(), `key-${++submissions}`, INPUT);
      if (syncMs > 0) block(syncMs);
      await new Promise(setImmediate);
      return 1;
    });
    database.close();
    return rate;
  }

  async function queue() {
    const results = {};
    for (const concurrency of [1, 32]) {
      for (const [name, create] of Object.entries(products)) {
        const { backend, close } = await create();
        for (let batch = 0; batch < 40; batch += 1)
          await Promise.all(Array.from({ length: 1_000 }, () => record(backend)));
        results[`concurrency ${concurrency}, ${name}, claimed and settled/s`] = await settleRate(
          backend,
          concurrency,
        );
        await close();
      }
    }
    return results;
  }

  function settleRate(backend, concurrency) {
    const definitions = [{ name: DEFINITION, concurrency, leaseMs: LEASE_MS }];
    const consumer = backend.queue.consume({ definitions });
    const { signal } = new AbortController();
    return rateOf(1, async () => {
      const slots = new Map([[DEFINITION, concurrency]]);
      const token = randomUUID();
      const deliveries = await consumer.receive({ slots, limit: concurrency, token, signal });
      await Promise.all(
        deliveries.map(({ attempt }) =>
          backend.operations.settle(attempt.lease, { to: "completed", result: '{"ok":true}' }),
        ),
      );
      return deliveries.length;
    });
  }

  async function growth() {
    const empty = open();
    await empty.backend.check();
    const before = await rateOf(32, () => record(empty.backend));
    empty.database.close();
    const { database, backend } = open();
    await backend.check();
    database.exec("pragma synchronous = off");
    for (let made = 0; made < finished; made += 5_000)
      await Promise.all(
        Array.from({ length: 5_000 }, async () => {
          const id = await recordOne(backend);
          await backend.operations.requestCancel(id, "tenant");
        }),
      );
    database.exec("pragma wal_checkpoint(truncate); pragma synchronous = full");
    const after = await rateOf(32, () => record(backend));
    database.close();
    return {
      "accepted/s in an empty file": before,
      [`accepted/s with ${finished} finished operations`]: after,
      ratio: after / before,
    };
  }

  return { accept, queue, growth };
}

async function recordOne(backend) {
  const number = ++submissions;
  const time = Date.now().toString(16).padStart(12, "0");
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  const operation = {
    id,
    tenant: "tenant",
    definition: DEFINITION,
    input: INPUT,
    retentionMs: 86_400_000,
    key: `key-${number}`,
  };
  await backend.submissions.record({ operation, fingerprint: `1:${number}` });
  return id;
}

async function record(backend) {
  await recordOne(backend);
  return 1;
}

/** Returns the database with commits that take longer, like those of a slow disk. */
function withSlowCommits(database, ms) {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      if (sql !== "commit") return statement;
      return {
        all: (...values) => statement.all(...values),
        run: (...values) => {
          block(ms);
          return statement.run(...values);
        },
      };
    },
  };
}

function block(ms) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

// A process with work that has output, on Postgres or SQLite: an API, or a worker that writes down what its processors do.
import { existsSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { allowAnonymous, createService, createWorker } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { openPostgresStore } from "../../driver/postgres-store.mjs";
import { openSqliteStore } from "../../driver/sqlite-store.mjs";
import { toChunk, toDefinitions } from "./contract.mjs";

const { role, url, port = 0, ledger, outputs, retentionMs } = JSON.parse(process.argv[2]);

const { backend } = (url.startsWith("sqlite:") ? openSqliteStore : openPostgresStore)(url, { listen: true });
const definitions = toDefinitions({ outputs, retentionMs });
const roles = { api: serve, worker: work };
process.send({ started: await roles[role]() });
process.on("disconnect", () => process.exit());

/** Serves requests, and returns the port. */
async function serve() {
  const service = createService({ definitions, backend, authorize: allowAnonymous(), observe: () => {} });
  const server = createServer(toNodeHandler(service));
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server.address().port;
}

async function work() {
  const file = openSync(ledger, "a");
  const note = (line) => writeSync(file, `${JSON.stringify(line)}\n`);

  /** Writes numbered chunks from the last checkpoint on. */
  async function write({ chunks, every, pauseMs, holds = {} }, job, resumes) {
    const { operationId, attempt } = job;
    const from = (resumes ? job.resumed : undefined) ?? 0;
    note({ operationId, attempt, from });
    for (let number = from; number < chunks; number += 1) {
      if (holds[attempt] === number) await hold();
      note({ operationId, attempt, number });
      await job.write(toChunk(attempt, number));
      if (resumes && (number + 1) % every === 0) await job.checkpoint(number + 1);
      await sleep(pauseMs);
    }
    return { attempt };
  }

  async function workWithoutOutput({ holds = {} }, { attempt }) {
    if (holds[attempt] !== undefined) await hold();
    return { attempt };
  }

  const processors = {
    resuming: (input, job) => write(input, job, true),
    restarting: (input, job) => write(input, job, false),
  };
  const worker = createWorker(
    { definitions, backend, observe: ({ event }) => process.send({ event }) },
    outputs === false ? { resuming: workWithoutOutput, restarting: workWithoutOutput } : processors,
    // Tests kill more attempts than most work survives.
    { leaseMs: 1_000, concurrency: 4, maxAttempts: 10_000, sweepIntervalMs: 200 },
  );
  await worker.start();
}

/** Tells the test that an attempt has come this far, and waits for a message. It can name a file until which the process freezes. */
async function hold() {
  process.send({ holds: true });
  const { frozenUntil } = await new Promise((resolve) => process.once("message", resolve));
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (frozenUntil !== undefined && !existsSync(frozenUntil)) Atomics.wait(never, 0, 0, 20);
}

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Backend, createService, defineOperation, type StandardSchema } from "async-request-reply";
import type { OutputPart } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";
import { Pool } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { effort } from "../support/effort.js";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { useFaultBench, useSqliteBench } from "./use-fault-bench.js";

const OPERATIONS = 12;
const CHUNKS = 200;
const KILLS = effort(6, 6, 60);

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};
const numbers = defineOperation({
  name: "numbers",
  path: "/numbers",
  input: anything,
  chunk: anything,
  checkpoint: anything,
});

describeWithPostgres("output of workers that are killed, on Postgres", (installation) => {
  const bench = useFaultBench(installation);
  testKills(
    () => bench().postgres.url(),
    () => {
      const pool = new Pool({ connectionString: bench().postgres.url() });
      pool.on("error", () => {});
      return { backend: createPostgresBackend({ pool }), close: () => pool.end() };
    },
  );
});

describe("output of workers that are killed, on SQLite", () => {
  const bench = useSqliteBench();
  testKills(
    () => `sqlite:${bench().path}`,
    () => {
      const database = new Database(bench().path);
      return { backend: createSqliteBackend({ database }), close: async () => void database.close() };
    },
  );
});

function testKills(
  url: () => string,
  open: () => { readonly backend: Backend; readonly close: () => Promise<void> },
): void {
  it("reaches readers of another process without a gap, and no chunk twice", async () => {
    const { backend, close } = open();
    const service = createService({ definitions: [numbers], backend });
    onTestFinished(async () => {
      await service.close();
      await backend.close();
      await close();
    });
    const workers = [await startWorker(url()), await startWorker(url())];
    onTestFinished(() => {
      for (const worker of workers) worker.kill("SIGKILL");
    });
    const submitted = await service.submitMany(
      numbers,
      Array.from({ length: OPERATIONS }, () => ({ input: {} })),
    );
    const read = submitted.map((each) =>
      readAll(service.output(numbers, idOf(each)) as AsyncIterable<OutputPart<unknown>>),
    );
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(300);
      workers[kill % 2]?.kill("SIGKILL");
      workers[kill % 2] = await startWorker(url());
    }
    const all = Array.from({ length: CHUNKS }, (_, number) => number);
    for (const { shown, discards } of await Promise.all(read)) {
      expect(shown).toEqual(all);
      expect(discards).toBeLessThanOrEqual(KILLS);
    }
  });
}

function idOf(submitted: object): string {
  return (submitted as { readonly operationId: string }).operationId;
}

/** Shows an output as a page does, and checks after each part that no chunk is missing or doubled. */
async function readAll(parts: AsyncIterable<OutputPart<unknown>>) {
  const shown: unknown[] = [];
  let discards = 0;
  for await (const { at, chunks } of parts) {
    expect(at).toBeLessThanOrEqual(shown.length);
    if (at < shown.length) discards += 1;
    shown.length = at;
    shown.push(...chunks);
    expect(shown.every((value, index) => value === index)).toBe(true);
  }
  return { shown, discards };
}

async function startWorker(url: string): Promise<ChildProcess> {
  const worker = fork(join(import.meta.dirname, "output-process.mjs"), [url, String(CHUNKS)]);
  await once(worker, "message");
  return worker;
}

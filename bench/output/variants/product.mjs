import { once } from "node:events";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { allowAnonymous, createService, createWorker, defineOperation } from "../../../dist/index.js";
import { toNodeHandler } from "../../../dist/node.js";
import { createPostgresBackend } from "../../../dist/postgres.js";
import { createSqliteBackend } from "../../../dist/sqlite.js";
import { chunk, input } from "../../answer-schemas.mjs";
import { createPool } from "../../postgres/variants/pool.mjs";

const LONG_MS = 600_000;
const MANY = 100_000;
const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input,
  chunk,
  maxOutputBytes: 100_000_000,
});

/** Serves the output over HTTP. */
export async function openApi(options) {
  const { backend, reads, close } = await openBackend(options);
  const service = createService({
    definitions: [answers],
    backend,
    authorize: allowAnonymous(),
    maxStreamMs: LONG_MS,
    maxWaiters: MANY,
  });
  const server = createServer({ keepAliveTimeout: LONG_MS }, toNodeHandler(service));
  server.listen(0, "127.0.0.1", 4_096);
  await once(server, "listening");
  return {
    begin: async (count) => {
      const items = Array.from({ length: count }, () => ({ input: {} }));
      const outcomes = [];
      for (let from = 0; from < count; from += 100)
        outcomes.push(
          ...(await service.submitMany(answers, items.slice(from, from + 100), { tenant: "anonymous" })),
        );
      const paths = outcomes.map(({ operationId }) => `/operations/${operationId}/output?offset=-1&live=sse`);
      return { port: server.address().port, paths };
    },
    reads,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await close();
    },
  };
}

/** Runs the operations until they are ended. */
export async function openWorker({ onBegin, ...options }) {
  const { backend, close } = await openBackend(options);
  const worker = createWorker(
    { definitions: [answers], backend },
    { answers: (_input, { write }) => new Promise((end) => onBegin({ write, end: () => end(undefined) })) },
    { concurrency: MANY },
  );
  await worker.start();
  return {
    close: async () => {
      await worker.stop();
      await close();
    },
  };
}

async function openBackend({ url, path, sqlite = false }) {
  const pool = sqlite ? undefined : createPool(url);
  const backend = sqlite
    ? createSqliteBackend({ database: new DatabaseSync(path) })
    : createPostgresBackend({ pool });
  await backend.migrate?.();
  let reads = 0;
  const output = {
    ...backend.output,
    read: (requests) => {
      reads += 1;
      return backend.output.read(requests);
    },
  };
  return {
    backend: { ...backend, output },
    reads: () => reads,
    close: async () => {
      await backend.close();
      await pool?.end();
    },
  };
}

import { once } from "node:events";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { createOperator } from "async-request-reply/operator";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";
import { afterAll, expect, it } from "vitest";
import { createOrderProcesses } from "../faults/order-processes.js";
import { createOrdersClient } from "../support/orders-client.js";
import { debianPostgres } from "../support/postgres/postgres-installation.js";
import { startPrivatePostgres } from "../support/postgres/private-postgres.js";

/** Files of `src` that run code on each way, on Postgres. The whole way counts, from the socket to the reply or the settlement. */
const MOST: Readonly<Record<string, number>> = { POST: 45, attempt: 35, GET: 28, redrive: 26 };

/** Time in which everything happens that follows a request or a settlement, such as notifications. Milliseconds. */
const QUIET_MS = 200;

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const each of cleanups.reverse()) await each();
});

/** Opens an order service over HTTP, on its own server. */
async function open() {
  const installation = debianPostgres();
  if (installation === undefined) throw new Error("This needs the Debian package `postgresql`.");
  const postgres = await startPrivatePostgres({ installation });
  const pool = new Pool({ connectionString: postgres.url() }).on("error", () => {});
  const backend = createPostgresBackend({ pool });
  const service = createOrderService({ backend, authorize: allowAnonymous() });
  const worker = createWorker(
    service,
    {
      orders: ({ itemId }) => {
        if (itemId === "fails") throw new Error("simulated");
      },
    },
    { maxAttempts: 1 },
  );
  const server = createServer(toNodeHandler(service)).listen(0);
  await once(server, "listening");
  const processes = createOrderProcesses();
  cleanups.push(
    () => postgres.remove(),
    () => pool.end(),
    () => service.close(),
    async () => void server.close(),
    () => processes.close(),
  );
  const { port } = server.address() as AddressInfo;
  const client = createOrdersClient(`http://127.0.0.1:${port}`);
  // The coverage of this process has nothing of what another one runs.
  const { baseUrl } = await processes.start({ role: "api", url: postgres.url() });
  const elsewhere = createOrdersClient(baseUrl);
  const operator = createOperator({ definitions: service.definitions, backend });
  return { client, elsewhere, worker, operator };
}

const session = new Session();
session.connect();

/** Something that is done once before each walk, and the walk itself with its result. */
interface Way<Before> {
  readonly prepare: () => Promise<Before>;
  readonly walk: (before: Before) => Promise<unknown>;
}

/** Returns the files of `src` of which a function runs in every walk. Those that only a timer runs are not among them. */
async function filesOf<Before>({ prepare, walk }: Way<Before>): Promise<readonly string[]> {
  const walks: (readonly string[])[] = [];
  for (let count = 0; count < 3; count += 1) {
    const before = await prepare();
    await sleep(QUIET_MS);
    walks.push(await filesDuring(() => walk(before)));
  }
  const [first = []] = walks;
  return first.filter((file) => walks.every((files) => files.includes(file)));
}

async function filesDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const ran = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0),
  );
  const names = ran.flatMap(({ url }) => /\/src\/(.+\.ts)$/.exec(url)?.[1] ?? []);
  return [...new Set(names)].sort();
}

it("few files are on the ways of requests and attempts", async () => {
  const { client, elsewhere, worker, operator } = await open();
  const post = (itemId: string): Promise<string> => client.accepted({ itemId, quantity: 1 });
  const ended = async (itemId: string): Promise<string> => {
    const location = await post(itemId);
    await worker.runUntilIdle();
    return location;
  };
  // Before, everything that happens only once has to have happened.
  await client.read(await ended("works"));
  await ended("fails");

  const ways: Readonly<Record<string, Way<string>>> = {
    POST: { prepare: async () => "works", walk: post },
    GET: { prepare: () => ended("works"), walk: client.read },
    redrive: {
      prepare: () => ended("fails"),
      walk: (location) => operator.redrive(location.slice("/operations/".length)),
    },
    // The last one, because the worker goes on.
    attempt: {
      prepare: async () => {
        await worker.start();
        return "works";
      },
      walk: async (itemId) => {
        await elsewhere.settled(await elsewhere.accepted({ itemId, quantity: 1 }));
        await sleep(QUIET_MS);
      },
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    const files = await filesOf(way);
    console.log(`${name}: ${files.length} files\n  ${files.join("\n  ")}`);
    expect.soft(files.length, name).toBeLessThanOrEqual(MOST[name] ?? 0);
  }
});

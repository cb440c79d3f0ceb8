import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import { type PrivatePostgres, startPrivatePostgres } from "../servers/private-postgres.js";
import { createOrdersClient } from "./orders-client.js";
import { runServer, type ServerProcess, startServer } from "./server-process.js";

const order = { itemId: "book", quantity: 1 };
const done = { status: "completed", result: { shipped: true, ...order } };

async function start(variables: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = await startServer({ WORK_MS: "1", ...variables });
  onTestFinished(() => server.kill());
  return server;
}

describeWithPostgres("the example server on PostgreSQL", (installation) => {
  let postgres: PrivatePostgres;
  beforeAll(async () => {
    postgres = await startPrivatePostgres({ installation });
  }, 30_000);
  afterAll(() => postgres?.remove());

  it("takes orders in one process and works in another", { timeout: 30_000 }, async () => {
    const BACKEND = postgres.url();
    const api = await start({ BACKEND, ROLE: "api" });
    const client = createOrdersClient(api.baseUrl);
    const location = await client.accepted(order);
    expect(await client.read(location)).toMatchObject({ status: "pending" });
    const worker = await start({ BACKEND, ROLE: "worker" });
    expect(await client.settled(location)).toMatchObject(done);
    for (const server of [api, worker]) {
      server.signal("SIGTERM");
      expect((await server.exited).code).toBe(0);
    }
  });

  it("has an order that was answered after all of its processes were killed", {
    timeout: 30_000,
  }, async () => {
    const variables = { BACKEND: postgres.url(), WORK_MS: "600000", LEASE_MS: "500" };
    const first = await start(variables);
    const location = await createOrdersClient(first.baseUrl).accepted(order);
    await first.stdout.find((line) => line.includes("operation.started"));
    await first.kill();
    const second = await start({ ...variables, WORK_MS: "1" });
    expect(await createOrdersClient(second.baseUrl).settled(location)).toMatchObject(done);
  });

  it("says why it does not start on a database that is not there", { timeout: 30_000 }, async () => {
    const BACKEND = postgres.url().replace(/postgres$/, "missing");
    expect(await runServer({ BACKEND })).toEqual({
      code: 1,
      stdout: [],
      stderr: ["BACKEND: cannot open the database (3D000)"],
    });
  });
});

describe("the example server on PGlite", () => {
  const folder = mkdtempSync(join(tmpdir(), "pglite-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("has an order that was answered when it starts again in the same folder", {
    timeout: 60_000,
  }, async () => {
    const BACKEND = `pglite:${join(folder, "orders")}`;
    const first = await start({ BACKEND });
    const location = await createOrdersClient(first.baseUrl).accepted(order);
    expect(await createOrdersClient(first.baseUrl).settled(location)).toMatchObject(done);
    first.signal("SIGTERM");
    expect((await first.exited).code).toBe(0);
    const second = await start({ BACKEND });
    expect(await createOrdersClient(second.baseUrl).settled(location)).toMatchObject(done);
  });
});

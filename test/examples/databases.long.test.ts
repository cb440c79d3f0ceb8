import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createOrdersClient } from "../support/orders-client.js";
import { startServer } from "../support/orders-server-process.js";
import { declareServerContract } from "./server-contract.js";
import { startForTest } from "./start-for-test.js";

const folder = mkdtempSync(join(tmpdir(), "databases-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the example server on PGlite", () => {
  declareServerContract((variables) =>
    startServer({ BACKEND: `pglite:${join(folder, "contract")}`, ...variables }),
  );
});

describe.each([
  ["PGlite", `pglite:${join(folder, "orders")}`],
  ["SQLite", `sqlite:${join(folder, "orders.db")}`],
])("the example server on %s", (_name, BACKEND) => {
  it("keeps an accepted order over a restart", async () => {
    const first = await startForTest({ BACKEND });
    const location = await createOrdersClient(first.baseUrl).accepted({ itemId: "pen", quantity: 1 });
    first.signal("SIGTERM");
    expect((await first.exited).code).toBe(0);
    const second = await startForTest({ BACKEND, WORK_MS: "1" });
    const operation = await createOrdersClient(second.baseUrl).settled(location);
    expect(operation).toMatchObject({ status: "completed", result: { shipped: true, itemId: "pen" } });
  });
});

describe("example servers that share an SQLite file", () => {
  it("complete an order whose process was killed in the middle of its work", async () => {
    const variables = { BACKEND: `sqlite:${join(folder, "killed.db")}`, LEASE_MS: "500" };
    const killed = await startForTest({ ...variables, WORK_MS: "600000" });
    const client = createOrdersClient(killed.baseUrl);
    const location = await client.accepted({ itemId: "book", quantity: 1 });
    await killed.stdout.find((line) => line.includes("operation.started"));
    await killed.kill();
    const next = await startForTest({ ...variables, WORK_MS: "1" });
    const operation = await createOrdersClient(next.baseUrl).settled(location);
    expect(operation).toMatchObject({ status: "completed", attempt: 2 });
  });

  it("accept orders in one process and do the work in another", async () => {
    const BACKEND = `sqlite:${join(folder, "roles.db")}`;
    const api = await startForTest({ BACKEND, ROLE: "api" });
    await startForTest({ BACKEND, ROLE: "worker", WORK_MS: "1" });
    const client = createOrdersClient(api.baseUrl);
    const operation = await client.settled(await client.accepted({ itemId: "book", quantity: 1 }));
    expect(operation).toMatchObject({ status: "completed", result: { shipped: true, itemId: "book" } });
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createOrdersClient } from "./orders-client.js";
import { declareServerContract } from "./server-contract.js";
import { type ServerProcess, startServer } from "./server-process.js";

describe("the example server on PGlite", { timeout: 30_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "pglite-"));
  const BACKEND = `pglite:${join(folder, "orders")}`;
  afterAll(() => rmSync(folder, { recursive: true }));

  let first: ServerProcess;
  declareServerContract(async (variables) => {
    first = await startServer({ BACKEND, ...variables });
    return first;
  });

  it("keeps an accepted order over a restart in the same folder", async () => {
    const location = await createOrdersClient(first.baseUrl).accepted({ itemId: "pen", quantity: 1 });
    first.signal("SIGTERM");
    expect((await first.exited).code).toBe(0);
    const second = await startServer({ BACKEND, WORK_MS: "1" });
    onTestFinished(() => second.kill());
    const operation = await createOrdersClient(second.baseUrl).settled(location);
    expect(operation).toMatchObject({ status: "completed", result: { shipped: true, itemId: "pen" } });
  });
});

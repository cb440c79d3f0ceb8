import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { describeOnPostgres } from "../servers/use-postgres.js";
import { createOrdersClient } from "../support/orders-client.js";
import { runServer, type ServerProcess, startServer } from "../support/orders-server-process.js";
import { brokers } from "./brokers.js";
import { usePrivateBroker } from "./harnesses.js";
import type { TestedBroker } from "./tested-broker.js";

const order = { itemId: "book", quantity: 1 };
const done = { status: "completed", result: { shipped: true, ...order } };
/** Lets the example load the client libraries, which are not installed beside it. */
const NODE_PATH = join(import.meta.dirname, "node_modules");

function declareServer(broker: TestedBroker, address: () => string): void {
  const { server, port } = usePrivateBroker(broker);

  async function start(ROLE: "api" | "worker"): Promise<ServerProcess> {
    // Redis alone could be a queue too, so the example wants to know the library.
    const scheme = broker.scheme === "redis" ? "bullmq+redis" : broker.scheme;
    const QUEUE = `${scheme}://127.0.0.1:${port()}`;
    const process = await startServer({ BACKEND: address(), QUEUE, NODE_PATH, ROLE, WORK_MS: "1" });
    onTestFinished(() => process.kill());
    return process;
  }

  it("runs orders of an API process in a worker process, and stops, also while the broker is down", async () => {
    const api = await start("api");
    const worker = await start("worker");
    const client = createOrdersClient(api.baseUrl);
    for (let count = 0; count < 5; count += 1)
      expect(await client.settled(await client.accepted(order))).toMatchObject(done);

    await server().stop();
    expect(await client.settled(await client.accepted(order))).toMatchObject(done);
    for (const process of [api, worker]) process.signal("SIGTERM");
    expect((await api.exited).code).toBe(0);
    expect((await worker.exited).code).toBe(0);
    await server().start();
  });
}

describe.each(brokers)("the example server with rings on $name and operations in SQLite", (broker) => {
  const folder = mkdtempSync(join(tmpdir(), "orders-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  declareServer(broker, () => `sqlite:${join(folder, "orders.db")}`);
});

describeOnPostgres("the example server with operations in Postgres", (postgres) => {
  describe.each(brokers)("and rings on $name", (broker) => {
    declareServer(broker, () => postgres().url());
  });
});

it("says which package to install for a queue", async () => {
  const { code, stderr } = await runServer({ BACKEND: "memory:", QUEUE: "amqp://127.0.0.1:1" });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: ["QUEUE needs the package amqplib. Run `npm install --no-save amqplib`"],
  });
});

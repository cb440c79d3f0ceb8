import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { declareServerContract } from "../examples/server-contract.js";
import { declareServerLog } from "../examples/server-log.js";
import { declareServerShutdown, declareShutdownGrace } from "../examples/server-shutdown.js";
import { createOrdersClient } from "../support/orders-client.js";
import {
  runServer,
  type ServerProcess,
  type StartServer,
  startServer,
} from "../support/orders-server-process.js";
import { npmPostgres } from "../support/postgres/postgres-installation.js";
import type { PrivatePostgres } from "../support/postgres/private-postgres.js";
import { describeOnPostgres } from "./use-postgres.js";

const order = { itemId: "book", quantity: 1 };
const done = { status: "completed", result: { shipped: true, ...order } };

function declareOrdersServer(postgres: () => PrivatePostgres): void {
  let databases = 0;
  /** Every server gets a new database, so that it never runs the work of an earlier one. */
  async function newDatabase(): Promise<string> {
    const name = `orders_${++databases}`;
    await postgres().query(`CREATE DATABASE ${name}`);
    return postgres()
      .url()
      .replace(/postgres$/, name);
  }
  const start: StartServer = async (variables) => startServer({ BACKEND: await newDatabase(), ...variables });
  const startForTest: StartServer = async (variables) => {
    const server = await start({ WORK_MS: "1", ...variables });
    onTestFinished(() => server.kill());
    return server;
  };

  describe("in one process", () => {
    declareServerContract(start);
    declareServerLog(start);
    declareServerShutdown(start);
    declareShutdownGrace(start);
  });

  describe("in an API process and a worker process", () => {
    let worker: ServerProcess | undefined;
    afterAll(() => worker?.kill());
    declareServerContract(async (variables) => {
      const BACKEND = await newDatabase();
      worker = await startServer({ ...variables, BACKEND, ROLE: "worker" });
      return startServer({ ...variables, BACKEND, ROLE: "api" });
    });
  });

  it("accepts orders without a worker, and runs them once a worker starts", async () => {
    const BACKEND = await newDatabase();
    const api = await startForTest({ BACKEND, ROLE: "api" });
    const client = createOrdersClient(api.baseUrl);
    const location = await client.accepted(order);
    expect(await client.read(location)).toMatchObject({ status: "pending" });
    const worker = await startForTest({ BACKEND, ROLE: "worker" });
    expect(await client.settled(location)).toMatchObject(done);
    for (const server of [api, worker]) {
      server.signal("SIGTERM");
      expect((await server.exited).code).toBe(0);
    }
  });

  it("keeps an accepted order after all of its processes are killed", async () => {
    const variables = { BACKEND: await newDatabase(), WORK_MS: "600000", LEASE_MS: "500" };
    const first = await startForTest(variables);
    const location = await createOrdersClient(first.baseUrl).accepted(order);
    await first.stdout.find((line) => line.includes("operation.started"));
    await first.kill();
    const second = await startForTest({ ...variables, WORK_MS: "1" });
    expect(await createOrdersClient(second.baseUrl).settled(location)).toMatchObject(done);
  });

  it("says why it does not start if the database does not exist", async () => {
    const BACKEND = postgres()
      .url()
      .replace(/postgres$/, "missing");
    expect(await runServer({ BACKEND })).toEqual({
      code: 1,
      stdout: [],
      stderr: [
        'BACKEND: Database "missing" does not exist on the server. Create it with `create database`, or correct `database` in the ' +
          "connection options of the pool.",
      ],
    });
  });
}

describeOnPostgres("the example server on PostgreSQL", declareOrdersServer);
describeOnPostgres("the example server on the newest PostgreSQL", declareOrdersServer, npmPostgres());

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWorker, defineOrders } from "async-request-reply";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createOrdersClient } from "../support/orders-client.js";
import { describePostgres } from "../support/postgres/server.js";
import { isSkipped, workerd } from "./matrix.js";
import { useProject, workers } from "./project.js";
import { type ServerProcess, startServer } from "./server-process.js";

const ORDER = { itemId: "book", quantity: 2 };
const COMPLETED = { status: "completed", result: { shipped: 2 } };

const project = useProject();

await describePostgres("a Worker on Postgres through Hyperdrive", (server) => {
  const test = it.skipIf(isSkipped(workerd));

  /** Writes the settings of a Worker with a schema for itself, and starts its first process. */
  async function startWorker({ worksAfterReply }: { readonly worksAfterReply: boolean }) {
    const backend = server.openOwn();
    onTestFinished(backend.close);
    await backend.migrate();
    const { host, port, database = "", user = "", password } = new Client(server.pool.options);
    const settings = {
      address: `${host}:${port}`,
      database,
      user,
      password: password ?? "",
      schema: backend.schema,
      worksAfterReply: String(worksAfterReply),
    };
    const lines = Object.entries(settings).map(
      ([name, value]) => `const ${name} :Text = ${JSON.stringify(value)};`,
    );
    writeFileSync(join(project().folder, workers.ordersOnHyperdrive, "settings.capnp"), lines.join("\n"));
    return { backend, process: await startProcess() };
  }

  /** Starts a process of workerd. It is killed after the test. */
  async function startProcess(): Promise<ServerProcess> {
    const args = [...workerd.options, "--experimental"];
    const started = await startServer(project(), {
      runtime: workerd,
      args,
      folder: workers.ordersOnHyperdrive,
    });
    onTestFinished(started.kill);
    return started;
  }

  /** Sends the Worker an event, and resolves when all that it does is done. */
  async function send(event: "scheduled" | "queue", { baseUrl }: ServerProcess): Promise<unknown> {
    return (await fetch(`${baseUrl}/${event}`)).json();
  }

  test("accepts an order, replays it, refuses another one for its key, and hides it from other tenants", async () => {
    const { process } = await startWorker({ worksAfterReply: false });
    const { submit, read } = createOrdersClient(process.baseUrl);
    const key = { "idempotency-key": '"again"' };
    const first = await submit(ORDER, key);
    const second = await submit(ORDER, key);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    const location = first.headers.get("location") ?? "";
    expect(second.headers.get("location")).toBe(location);
    expect((await submit({ ...ORDER, quantity: 3 }, key)).status).toBe(422);
    expect(await read(location)).toMatchObject({ status: "pending" });
    const authorization = "Bearer other-token";
    expect((await fetch(process.baseUrl + location, { headers: { authorization } })).status).toBe(404);
  });

  test("completes an order in the time that `waitUntil` grants after the reply", async () => {
    const { process } = await startWorker({ worksAfterReply: true });
    const { accepted, settled } = createOrdersClient(process.baseUrl);
    expect(await settled(await accepted(ORDER))).toMatchObject(COMPLETED);
  });

  test.each(["scheduled", "queue"] as const)(
    "completes what requests have only recorded when it is called with the event `%s`",
    async (event) => {
      const { process } = await startWorker({ worksAfterReply: false });
      const { accepted, read } = createOrdersClient(process.baseUrl);
      const locations = [await accepted(ORDER), await accepted(ORDER)];
      expect(await send(event, process)).toMatchObject({ outcome: "ok" });
      for (const location of locations) expect(await read(location)).toMatchObject(COMPLETED);
    },
  );

  test("shows that a worker on Node has completed what a request has only recorded", async () => {
    const { backend, process } = await startWorker({ worksAfterReply: false });
    const { accepted, settled } = createOrdersClient(process.baseUrl);
    const source = { definitions: [defineOrders()], backend } as const;
    const worker = createWorker(source, { orders: ({ quantity }) => ({ shipped: quantity }) });
    onTestFinished(() => worker.stop());
    await worker.start();
    expect(await settled(await accepted(ORDER))).toMatchObject(COMPLETED);
  });

  test("completes with the next process what it has accepted before it was killed", async () => {
    const { process } = await startWorker({ worksAfterReply: false });
    const key = { "idempotency-key": '"kept"' };
    const accepted = await createOrdersClient(process.baseUrl).submit(ORDER, key);
    expect(accepted.status).toBe(202);
    await process.kill();
    const next = await startProcess();
    const { submit, read } = createOrdersClient(next.baseUrl);
    const location = accepted.headers.get("location") ?? "";
    expect((await submit(ORDER, key)).headers.get("location")).toBe(location);
    expect(await send("scheduled", next)).toMatchObject({ outcome: "ok" });
    expect(await read(location)).toMatchObject(COMPLETED);
  });

  test("leaves no connection open after 200 requests", async () => {
    const { backend, process } = await startWorker({ worksAfterReply: true });
    const { accepted, read, settled } = createOrdersClient(process.baseUrl);
    const connections = async (): Promise<number> => {
      const text = "select from pg_stat_activity where application_name = $1";
      return (await server.pool.query(text, [backend.schema])).rowCount ?? 0;
    };
    const clients = [1, 2, 3, 4, 5].map(async () => {
      const locations: string[] = [];
      while (locations.length < 20) {
        const location = await accepted(ORDER);
        locations.push(location);
        await read(location);
      }
      return locations;
    });
    await expect.poll(connections).toBeGreaterThan(0);
    const locations = (await Promise.all(clients)).flat();
    await expect.poll(connections).toBe(0);
    expect(await settled(locations.at(-1) ?? "")).toMatchObject(COMPLETED);
  });
});

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { verifyWebhook } from "async-request-reply/webhooks";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeClients, type SqliteClient } from "../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../support/sqlite/database-files.js";
import { type Receiver, startReceiver, status } from "../support/webhooks/receiver.js";
import { until } from "./worker-pool.js";

const SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];

type Role = "api" | "orders" | "deliveries";
type Message = { readonly ready: true } | { readonly accepted: string } | { readonly ended: string };

function declareDeliveries(client: SqliteClient): void {
  let file: DatabaseFile;
  let receiver: Receiver;
  let messages: Message[];
  const running = new Set<ChildProcess>();

  beforeEach(async () => {
    file = newDatabaseFile(client);
    receiver = await startReceiver();
    messages = [];
  });
  afterEach(async () => {
    await Promise.all([...running].map(kill));
    await receiver.close();
    await file.remove();
  });

  async function start(role: Role): Promise<ChildProcess> {
    const child = fork(new URL("webhook-child.mjs", import.meta.url), [
      client.name,
      file.path,
      role,
      receiver.url,
    ]);
    running.add(child);
    child.on("message", (message: Message) => messages.push(message));
    for (;;) {
      const [message] = (await once(child, "message")) as [Message];
      if ("ready" in message) return child;
    }
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (!running.delete(child) || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  const announced = (): string[] =>
    receiver.received.map(
      ({ body }) => (JSON.parse(body) as { data: { operationId: string } }).data.operationId,
    );

  it("deliver a webhook although every process was killed between the end and the delivery", async () => {
    const api = await start("api");
    const orders = await start("orders");
    api.send({});
    await until(() => messages.some((message) => "ended" in message));
    await Promise.all([kill(api), kill(orders)]);
    expect(receiver.received).toEqual([]);
    await start("deliveries");
    await until(() => receiver.received.length > 0);
    const accepted = messages.flatMap((message) => ("accepted" in message ? [message.accepted] : []));
    expect(announced()).toEqual(accepted);
    const { headers = {}, body = "" } = receiver.received[0] ?? {};
    expect(await verifyWebhook({ headers, body, secrets: SECRETS })).toMatchObject({
      data: { status: "completed" },
    });
  });

  it("deliver it under one id although the delivering process was killed after sending it", {
    timeout: 180_000,
  }, async () => {
    const api = await start("api");
    await start("orders");
    let doomed: ChildProcess | undefined;
    receiver.answer(() => void doomed?.kill("SIGKILL"));
    doomed = await start("deliveries");
    const gone = once(doomed, "exit");
    api.send({});
    await gone;
    // Takes over once the lease of 30 s has expired.
    await start("deliveries");
    await until(() => receiver.received.length > 1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(announced()).size).toBe(1);
  });

  it("retry a receiver that is down, and deliver everything once it is up", async () => {
    receiver.answer(...new Array(5).fill(status(503)));
    const api = await start("api");
    await start("orders");
    await start("deliveries");
    for (let order = 0; order < 5; order += 1) api.send({});
    await until(() => receiver.received.length >= 10);
    const accepted = messages.flatMap((message) => ("accepted" in message ? [message.accepted] : []));
    expect(announced().slice(5).sort()).toEqual(accepted.sort());
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(5);
  });
}

// The client cannot change what is delivered.
describeClients("processes that share an SQLite file", declareDeliveries, ["libsql"]);

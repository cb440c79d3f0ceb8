import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { verifyWebhook } from "async-request-reply/webhooks";
import { expect, it, onTestFinished } from "vitest";
import { describeClients, type SqliteClient } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { startReceiver, status } from "../support/webhooks/receiver.js";
import { createChildren, until } from "./children.js";

const SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];

type Message = { readonly accepted: string } | { readonly ended: string };

function declareDeliveries(client: SqliteClient): void {
  async function createScene() {
    const file = newDatabaseFile(client);
    onTestFinished(() => file.remove());
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const messages: Message[] = [];
    const { start, kill } = createChildren<Message>("webhook-child.mjs", (message) => messages.push(message));
    return {
      receiver,
      messages,
      kill,
      start: (role: "api" | "orders" | "deliveries") => start(client.name, file.path, role, receiver.url),
      accepted: () => messages.flatMap((message) => ("accepted" in message ? [message.accepted] : [])),
      /** Operations of the webhooks that were received. */
      announced: () => receiver.received.map(({ body }): string => JSON.parse(body).data.operationId),
      webhookIds: () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"])),
    };
  }

  it("deliver a webhook although every process was killed between the end and the delivery", async () => {
    const { receiver, messages, start, kill, accepted, announced } = await createScene();
    const api = await start("api");
    const orders = await start("orders");
    api.send({});
    await until(() => messages.some((message) => "ended" in message));
    await Promise.all([kill(api), kill(orders)]);
    expect(receiver.received).toEqual([]);
    await start("deliveries");
    await until(() => receiver.received.length > 0);
    expect(announced()).toEqual(accepted());
    const { headers = {}, body = "" } = receiver.received[0] ?? {};
    expect(await verifyWebhook({ headers, body, secrets: SECRETS })).toMatchObject({
      data: { status: "completed" },
    });
  });

  it("deliver it under one id although the delivering process was killed after sending it", {
    timeout: 180_000,
  }, async () => {
    const { receiver, start, announced, webhookIds } = await createScene();
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
    expect(webhookIds().size).toBe(1);
    expect(new Set(announced()).size).toBe(1);
  });

  it("retry a receiver that is down, and deliver everything once it is up", async () => {
    const { receiver, start, accepted, announced, webhookIds } = await createScene();
    receiver.answer(...new Array(5).fill(status(503)));
    const api = await start("api");
    await start("orders");
    await start("deliveries");
    for (let order = 0; order < 5; order += 1) api.send({});
    await until(() => receiver.received.length >= 10);
    expect(announced().slice(5).sort()).toEqual(accepted().sort());
    expect(webhookIds().size).toBe(5);
  });
}

// The client cannot change what is delivered.
describeClients("processes that share an SQLite file", declareDeliveries, ["libsql"]);

import { createWorker, defineOrders } from "async-request-reply";
import { createWebhooks } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import { describeClients } from "../support/sqlite/clients.js";
import { createTransactionStage } from "../support/sqlite/transaction-stage.js";
import { openService } from "./open-service.js";

const orders = defineOrders({ urgency: 5, clientUrgency: { from: 5, to: 7 } });
const ORDER = { itemId: "pen", quantity: 2 };
const tenant = "acme";

function open() {
  const allowed: unknown[] = [];
  const webhooks = createWebhooks({
    endpoint: () => undefined,
    allow: (_, principal) => allowed.push(principal) > 0,
  });
  const stage = openService([orders], { webhooks });
  const submit = (options: object = {}) => stage.service.submit(orders, ORDER, { tenant, ...options });
  const stored = async (id: string) => (await stage.backend.operations.getMany([id]))[0];
  return { ...stage, allowed, submit, stored };
}

describe("the option `urgency` of a submission in process", () => {
  it.each([
    ["is any urgency, also one that clients cannot choose", { urgency: 0 }, 0],
    ["is that of the definition by default", {}, 5],
    ["can be the default of all definitions", { urgency: 3 }, 3],
  ])("%s", async (_, options, expected) => {
    const { submit, stored } = open();
    const { operationId } = await submit(options);
    expect((await stored(operationId))?.urgency ?? 3).toBe(expected);
  });

  it("keeps that of the first submission with a key", async () => {
    const { submit, stored } = open();
    const first = await submit({ key: "k", urgency: 6 });
    const second = await submit({ key: "k", urgency: 0 });
    expect(second).toMatchObject({ operationId: first.operationId, replayed: true });
    expect(await stored(first.operationId)).toMatchObject({ urgency: 6 });
  });

  it("is not that of the webhook that announces the end", async () => {
    const { service, submit, stored } = open();
    const { operationId } = await submit({ urgency: 0 });
    await service.cancel(orders, operationId, { tenant });
    const delivery = await stored((await stored(operationId))?.onEnd?.id ?? "");
    expect(delivery?.definition).toBe("webhook.delivery");
    expect(delivery?.urgency ?? 3).toBe(3);
  });

  it.each([
    [8, "8"],
    [-1, "-1"],
    [1.5, "1.5"],
    [Number.NaN, "NaN"],
    ["3", '"3"'],
    [null, "null"],
  ])("is refused: %j", async (urgency, shown) => {
    const detail = `Option \`urgency\` must be a whole number from 0, which begins first, to 7, not ${shown}.`;
    await expect(open().submit({ urgency })).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
  });
});

describe("the option `principal` of a submission in process", () => {
  it("names who submits, for the work and the events", async () => {
    const { service, submit, stored, events } = open();
    const { operationId } = await submit({ principal: "ann" });
    expect(await stored(operationId)).toMatchObject({ principal: "ann" });
    const principals: unknown[] = [];
    await createWorker(service, { orders: (_, job) => void principals.push(job.principal) }).runUntilIdle();
    expect(principals).toEqual(["ann"]);
    expect(events.slice(0, 3)).toMatchObject(Array(3).fill({ operationId, tenant, principal: "ann" }));
  });

  it("is absent by default", async () => {
    const { service, submit, stored, events } = open();
    const { operationId } = await submit();
    expect(await stored(operationId)).not.toHaveProperty("principal");
    const principals: unknown[] = [];
    await createWorker(service, { orders: (_, job) => void principals.push(job.principal) }).runUntilIdle();
    expect(principals).toEqual([undefined]);
    for (const event of events) expect(event).not.toHaveProperty("principal");
  });

  it("keeps that of the first submission with a key", async () => {
    const { submit, stored, events } = open();
    const { operationId } = await submit({ key: "k" });
    await submit({ key: "k", principal: "bob" });
    expect(await stored(operationId)).not.toHaveProperty("principal");
    expect(events[1]).toMatchObject({ event: "operation.replayed", principal: "bob" });
  });

  it("is the id that `allow` of the webhooks gets, instead of the tenant", async () => {
    const { submit, allowed } = open();
    const webhookUrl = "https://hooks.example/";
    await submit({ principal: "ann", webhookUrl });
    await submit({ webhookUrl });
    expect(allowed).toEqual([
      { id: "ann", tenant },
      { id: tenant, tenant },
    ]);
  });

  it.each([
    ["", "has 0 characters"],
    ["a".repeat(256), "has 256 characters"],
    ["a\0", "contains NUL"],
    ["\ud800", "contains a lone surrogate"],
    [7, "is a number"],
  ])("is refused if it is %j", async (principal, problem) => {
    const { submit, backend } = open();
    const detail =
      `Option \`principal\` ${problem}. ` +
      "The id of a principal is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";
    await expect(submit({ principal })).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
    expect(await backend.operations.list({ limit: 1 })).toEqual([]);
  });

  it("may have 255 characters", async () => {
    const { submit, stored } = open();
    const principal = `${"\u{1f600}".repeat(127)}a`;
    const { operationId } = await submit({ principal });
    expect(await stored(operationId)).toMatchObject({ principal });
  });
});

describeClients("an option of service.prepare", (client) => {
  it.each([{ urgency: 1 }, { principal: "ann" }])(
    "is recorded in the user's transaction: %j",
    async (option) => {
      const { service, database, backend, file } = createTransactionStage(client);
      try {
        const prepared = await service.prepare(orders, ORDER, { tenant, ...option });
        database.exec("begin immediate");
        const { operationId } = prepared.record(database);
        database.exec("commit");
        expect(await backend.operations.get(operationId, tenant)).toMatchObject(option);
      } finally {
        await backend.close();
        await file.remove();
      }
    },
  );
});

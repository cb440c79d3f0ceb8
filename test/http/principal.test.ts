import { createMemoryBackend, createWorker, defineOperation, permanentFailure } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { createWebhooks } from "async-request-reply/webhooks";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost, openService } from "../service/open-service.js";
import { replacing } from "../support/replacing.js";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.js";
import { openStream } from "./streaming/open-stream.js";

const exportsOf = defineOperation({
  name: "exports",
  path: "/exports",
  input: z.object({ ends: z.enum(["well", "badly"]) }),
  cancellable: true,
});

function open(receiver?: Receiver) {
  const clock = createManualClock();
  const jobs: unknown[] = [];
  const memory = createMemoryBackend({ clock });
  const { operations } = memory;
  let renamed: string | undefined;
  const get: typeof operations.get = async (id, tenant) => {
    const operation = await operations.get(id, tenant);
    return operation && renamed !== undefined ? { ...operation, principal: renamed } : operation;
  };
  const backend = { ...memory, operations: replacing(operations, { get }) };
  const webhooks =
    receiver &&
    createWebhooks({
      endpoint: () => ({ url: receiver.url, secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }),
      trustedOrigins: [receiver.origin],
    });
  const { service, events } = openService([exportsOf], {
    backend,
    authorize: ({ header }) => ({ id: header("authorization") ?? "", tenant: "acme" }),
    list: true,
    ...(webhooks && { webhooks }),
    runtime: { clock },
  });
  const worker = createWorker(service, {
    exports: ({ ends }, { principal }) => {
      jobs.push(principal);
      if (ends === "badly") throw permanentFailure("It cannot be done.");
    },
  });
  const operator = createOperator({
    definitions: [exportsOf],
    backend,
    runtime: { clock },
    observe: (event) => events.push(event),
  });
  const send = (authorization: string, method: string, path: string) =>
    service.handle({ method, path, headers: { authorization } });
  const submit = (authorization: string, ends = "well", key?: string) => {
    const fields = { authorization, ...(key !== undefined && { "idempotency-key": key }) };
    return service.handle(jsonPost("/exports", { ends }, fields));
  };
  const post = async (...submitted: Parameters<typeof submit>): Promise<string> =>
    (await submit(...submitted)).headers.location?.slice("/operations/".length) ?? "";
  const rename = (id: string): void => {
    renamed = id;
  };
  return { service, backend, worker, operator, events, jobs, send, submit, post, rename };
}

let stage: ReturnType<typeof open>;
beforeEach(() => {
  stage = open();
});

describe("the principal of a request", () => {
  it("is stored with the operation, and passed to the work and to the events of its attempts", async () => {
    const operationId = await stage.post("ann");
    const stored = await stage.backend.operations.get(operationId, "acme");
    expect(stored).toMatchObject({ principal: "ann" });
    await stage.worker.runUntilIdle();
    expect(stage.jobs).toEqual(["ann"]);
    const about = { operationId, definition: "exports", tenant: "acme", principal: "ann" };
    expect(stage.events).toEqual([
      { event: "operation.accepted", ...about },
      {
        event: "operation.started",
        ...about,
        attempt: 1,
        createdAt: stored?.createdAt,
        process: expect.stringMatching(/^[0-9a-f]{8}$/),
      },
      {
        event: "operation.completed",
        ...about,
        attempt: 1,
        createdAt: stored?.createdAt,
        runMs: expect.any(Number),
      },
    ]);
  });

  it("stays that of the first submission, and a replay is reported with the one who repeated it", async () => {
    const operationId = await stage.post("ann", "well", "k");
    expect(await stage.post("bob", "well", "k")).toBe(operationId);
    expect(stage.events).toMatchObject([
      { event: "operation.accepted", principal: "ann" },
      { event: "operation.replayed", operationId, principal: "bob" },
    ]);
    expect(await stage.backend.operations.get(operationId, "acme")).toMatchObject({ principal: "ann" });
    await stage.worker.runUntilIdle();
    expect(stage.jobs).toEqual(["ann"]);
  });

  it("stays the same when an operator runs the failed operation again", async () => {
    const failed = await stage.post("ann", "badly");
    await stage.worker.runUntilIdle();
    stage.events.splice(0);
    await stage.operator.redrive(failed);
    expect(stage.events).toMatchObject([
      { event: "operation.redriven", retryOf: failed, tenant: "acme", principal: "ann" },
      { event: "operator.acted", operationId: failed, tenant: "acme", principal: "ann" },
    ]);
    await stage.worker.runUntilIdle();
    expect(stage.jobs).toEqual(["ann", "ann"]);
  });

  it("is not shown to another principal of the tenant, in no reply and no stream", async () => {
    const id = await stage.post("canary", "well", "k");
    const stream = await openStream(stage.service, id, { fields: { authorization: "bob" } });
    const replies = [
      await stage.send("bob", "GET", `/operations/${id}`),
      await stage.send("bob", "GET", "/operations"),
      await stage.submit("bob", "well", "k"),
    ];
    await stage.worker.runUntilIdle();
    await stream.end;
    replies.push(
      await stage.send("bob", "GET", `/operations/${id}`),
      await stage.send("bob", "DELETE", `/operations/${id}`),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 202, 200, 200]);
    expect(stream.statuses()).toEqual(["pending", "completed"]);
    const shown = JSON.stringify([replies, stream.reply.headers, stream.received]);
    expect(shown).toContain(id);
    expect(shown).not.toContain("canary");
  });

  it("does not change the entity tag", async () => {
    const id = await stage.post("ann");
    const before = await stage.send("ann", "GET", `/operations/${id}`);
    stage.rename("bob");
    const after = await stage.send("ann", "GET", `/operations/${id}`);
    expect(before.headers.etag).toBeDefined();
    expect(after.headers).toEqual(before.headers);
  });

  it("is not in webhooks, and their deliveries have none", async () => {
    const receiver = await startReceiver();
    try {
      stage = open(receiver);
      const id = await stage.post("canary");
      await stage.worker.runUntilIdle();
      const sent = JSON.stringify(receiver.received);
      expect(sent).toContain(id);
      expect(sent).not.toContain("canary");
      const started = stage.events.filter(({ event }) => event === "operation.started");
      expect(started).toMatchObject([
        { definition: "exports", principal: "canary" },
        { definition: "webhook.delivery" },
      ]);
      expect(started[1]).not.toHaveProperty("principal");
    } finally {
      await receiver.close();
    }
  });
});

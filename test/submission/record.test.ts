import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createOrderService,
  withStores,
} from "async-request-reply";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { replacing } from "../support/replacing.js";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json", "idempotency-key": "k1" },
  body: '{"itemId":"a","quantity":1}',
};

function composed(clock: ManualClock): Backend {
  return withStores(createMemoryBackend({ clock }), {});
}

const serviceOn = (backend: Backend, clock: ManualClock) =>
  createOrderService({ backend, authorize: allowAnonymous(), runtime: { clock } });

describe("recording", () => {
  it("answers 503 if the store does not answer in time, and a retry gets the operation that was created in the meantime", async () => {
    const clock = createManualClock();
    const backend = composed(clock);
    let arrives: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      arrives = resolve;
    });
    const { operations } = backend;
    const slow = replacing(operations, {
      create: async (...request) => {
        await gate;
        return operations.create(...request);
      },
    });
    const replying = serviceOn(withStores(backend, { operations: slow }), clock).handle(post);
    await clock.advance(10_000);
    const reply = await replying;
    expect(reply.status).toBe(503);
    expect(reply.headers["retry-after"]).toBe("2");
    expect(reply.body).toContain("may have been accepted");
    arrives();
    const retried = await serviceOn(backend, clock).handle(post);
    expect(retried.status).toBe(202);
    expect(retried.headers["idempotent-replayed"]).toBe("true");
    expect(await operations.list({ internal: true, limit: 10 })).toHaveLength(1);
  });

  it("creates nothing after its time limit, because its key may belong to another operation by then", async () => {
    const clock = createManualClock();
    const backend = composed(clock);
    const bind = backend.idempotency.bind.bind(backend.idempotency);
    const late = replacing(backend.idempotency, {
      bind: async (request) => {
        const result = await bind(request);
        await clock.advance(10_000);
        return result;
      },
    });
    const reply = await serviceOn(withStores(backend, { idempotency: late }), clock).handle(post);
    expect(reply.status).toBe(503);
    expect(await backend.operations.list({ internal: true, limit: 10 })).toEqual([]);
  });

  it("finishes the submission of a process that died after binding the key", async () => {
    const clock = createManualClock();
    const backend = composed(clock);
    const dying = replacing(backend.operations, { create: () => Promise.reject(new Error("dies here")) });
    await serviceOn(withStores(backend, { operations: dying }), clock).handle(post);
    const retried = await serviceOn(backend, clock).handle(post);
    expect(retried.status).toBe(202);
    const again = await serviceOn(backend, clock).handle(post);
    expect(again.headers.location).toBe(retried.headers.location);
  });

  it("uses the atomic step only if it spans the stores of the back end", async () => {
    const clock = createManualClock();
    const whole = createMemoryBackend({ clock });
    const calls: string[] = [];
    const submissions =
      whole.submissions &&
      replacing(whole.submissions, {
        record: (submission) => {
          calls.push("record");
          return whole.submissions?.record(submission) as never;
        },
      });
    const watched: Backend = { ...whole, ...(submissions && { submissions }) };
    await serviceOn(watched, clock).handle(post);
    await serviceOn({ ...watched, queue: createMemoryBackend({ clock }).queue }, clock).handle(post);
    expect(calls).toEqual(["record", "record"]);
    await serviceOn({ ...watched, idempotency: createMemoryBackend({ clock }).idempotency }, clock).handle(
      post,
    );
    expect(calls).toHaveLength(2);
  });
});

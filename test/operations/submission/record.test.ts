import { allowAnonymous, createMemoryStores, createOrderService } from "async-request-reply";
import type { SeparateStores } from "async-request-reply/ports";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { jsonPost } from "../../service/open-service.js";
import { replacing } from "../../support/replacing.js";
import { signalOf } from "../../support/worker-stage.js";

const post = jsonPost("/orders", { itemId: "a", quantity: 1 }, { "idempotency-key": "k1" });

const serviceOn = (backend: SeparateStores, clock: ManualClock) =>
  createOrderService({ backend, authorize: allowAnonymous(), runtime: { clock } });

describe("recording", () => {
  it("answers 503 if the store does not answer in time, and a retry gets the operation that was created in the meantime", async () => {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    const arrived = signalOf();
    const { operations } = stores;
    const slow = replacing(operations, {
      create: async (...request) => {
        await arrived.promise;
        return operations.create(...request);
      },
    });
    const replying = serviceOn({ ...stores, operations: slow }, clock).handle(post);
    await clock.advance(10_000);
    const reply = await replying;
    expect(reply.status).toBe(503);
    expect(reply.headers["retry-after"]).toBe("2");
    expect(reply.body).toContain("may have been accepted");
    arrived.resolve();
    const retried = await serviceOn(stores, clock).handle(post);
    expect(retried.status).toBe(202);
    expect(retried.headers["idempotent-replayed"]).toBe("true");
    expect(await operations.list({ internal: true, limit: 10 })).toHaveLength(1);
  });

  it("creates nothing after its time limit, because its key may belong to another operation by then", async () => {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    const bind = stores.idempotency.bind.bind(stores.idempotency);
    const late = replacing(stores.idempotency, {
      bind: async (request) => {
        const result = await bind(request);
        await clock.advance(150_000);
        return result;
      },
    });
    const reply = await serviceOn({ ...stores, idempotency: late }, clock).handle(post);
    expect(reply.status).toBe(503);
    expect(await stores.operations.list({ internal: true, limit: 10 })).toEqual([]);
  });

  it("finishes the submission of a process that died after binding the key", async () => {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    const dying = replacing(stores.operations, { create: () => Promise.reject(new Error("dies here")) });
    await serviceOn({ ...stores, operations: dying }, clock).handle(post);
    const retried = await serviceOn(stores, clock).handle(post);
    expect(retried.status).toBe(202);
    const again = await serviceOn(stores, clock).handle(post);
    expect(again.headers.location).toBe(retried.headers.location);
  });
});

import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  type ServiceEvent,
  withQueue,
} from "async-request-reply";
import type { Announcement } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { createSystemRuntime } from "../../src/ports/system-runtime.js";
import { createAnnouncer } from "../../src/protocol/announcer.js";
import { inside } from "../support/inside.js";
import { replacing } from "../support/replacing.js";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json" },
  body: '{"itemId":"a","quantity":1}',
};

/** Creates a service whose queue publishes with `publish`, and a worker on the same store. */
function stage(publish: (announcements: readonly Announcement[]) => Promise<void>) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const events: ServiceEvent[] = [];
  const service = createOrderService({
    backend: withQueue(backend, replacing(backend.queue, { publish })),
    authorize: allowAnonymous(),
    runtime: { clock },
    observe: (event) => events.push(event),
  });
  const worker = createWorker(
    { definitions: service.definitions, backend, runtime: { clock } },
    { orders: () => "done" },
  );
  return { clock, events, service, worker };
}

describe("announcing", () => {
  it("is not awaited by the reply, so a broker that hangs does not delay it (F5)", async () => {
    const { service } = stage(() => new Promise(() => {}));
    expect((await service.handle(post)).status).toBe(202);
  });

  it.each([
    ["hangs", () => new Promise<void>(() => {})],
    ["refuses", () => Promise.reject(new Error("down"))],
    ["loses accepted announcements", () => Promise.resolve()],
  ])("to a broker that %s leaves the operation to the sweep, 30 s later", async (_, publish) => {
    const { service, worker, clock } = stage(publish);
    const { headers } = await service.handle(post);
    const status = async () =>
      JSON.parse(
        (await service.handle({ ...post, method: "GET", path: headers.location ?? "" })).body as string,
      );
    await clock.advance(29_999);
    await worker.runUntilIdle();
    expect(await status()).toMatchObject({ status: "pending" });
    await clock.advance(1);
    await worker.runUntilIdle();
    expect(await status()).toMatchObject({ status: "completed" });
  });

  it("publishes a lone operation at once, and those that follow in the same turn of the event loop together", async () => {
    const batches: number[] = [];
    const { service } = stage(async (announcements) => {
      batches.push(announcements.length);
    });
    for (let sent = 0; sent < 4; sent += 1) await service.handle(post);
    expect(batches).toEqual([1]);
    await inside(service).announcer.published();
    expect(batches).toEqual([1, 3]);
  });

  it("can be awaited while more is announced all the time, and then waits for what was announced before", async () => {
    let ended = false;
    const published: string[] = [];
    const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
    const announcer = createAnnouncer({
      queue: {
        publish: async (announcements) => {
          await turn();
          published.push(...announcements.map(({ operationId }) => operationId));
        },
        consume: () => ({ receive: async () => [], close: async () => {} }),
        close: async () => {},
      },
      runtime: createSystemRuntime(),
      observe: () => {},
    });
    const announceAll = async (): Promise<void> => {
      for (let n = 0; n < 2_000 && !ended; n += 1) {
        void announcer.announce({ id: `later-${n}`, definition: "orders" });
        await turn();
      }
    };
    void announcer.announce({ id: "first", definition: "orders" });
    void announcer.announce({ id: "second", definition: "orders" });
    const announcing = announceAll();
    await announcer.published();
    ended = true;
    await announcing;
    expect(published.slice(0, 2)).toEqual(["first", "second"]);
    expect(published.length).toBeLessThan(10);
  });

  it("that fails is reported to the observer", async () => {
    const { service, events } = stage(() => Promise.reject(new Error("down")));
    await service.handle(post);
    await inside(service).announcer.published();
    expect(events).toContainEqual({ event: "background.failed", step: "announce", error: new Error("down") });
  });

  it("queues at most 10,000, leaves the rest to the sweep, and reports that once", async () => {
    const published: number[] = [];
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const failures: ServiceEvent[] = [];
    const announcer = createAnnouncer({
      queue: {
        publish: async (announcements) => {
          published.push(announcements.length);
          await gate;
        },
        consume: () => ({ receive: async () => [], close: async () => {} }),
        close: async () => {},
      },
      runtime: createSystemRuntime(),
      observe: (event) => failures.push(event),
    });
    for (let n = 0; n < 11_000; n += 1) void announcer.announce({ id: `id-${n}`, definition: "orders" });
    open();
    await announcer.published();
    expect(published.reduce((sum, count) => sum + count, 0)).toBe(10_000);
    expect(Math.max(...published)).toBeLessThanOrEqual(500);
    expect(failures).toHaveLength(1);
  });

  it("is passed to waitUntil if the platform has it, and has ended when that resolves", async () => {
    const published: Announcement[] = [];
    const { service } = stage(async (announcements) => {
      published.push(...announcements);
    });
    const announcing: Promise<unknown>[] = [];
    await service.handle(post, { waitUntil: (work) => announcing.push(work) });
    await Promise.all(announcing);
    expect(published).toHaveLength(1);
  });

  it("gives every announcement a new id, also for the same operation", async () => {
    const ids: string[] = [];
    const announcer = createAnnouncer({
      queue: {
        publish: async (announcements) => {
          ids.push(...announcements.map(({ id }) => id));
        },
        consume: () => ({ receive: async () => [], close: async () => {} }),
        close: async () => {},
      },
      runtime: createSystemRuntime(),
      observe: () => {},
    });
    await Promise.all([1, 2, 3].map(() => announcer.announce({ id: "same", definition: "orders" })));
    expect(new Set(ids).size).toBe(3);
  });
});

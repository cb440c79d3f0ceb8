import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  createWorker,
  type Queue,
  type Runtime,
  type ServiceEvent,
  withQueue,
} from "async-request-reply";
import type { Ring } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { createSystemRuntime } from "../../src/platform/system-runtime.js";
import { createBell } from "../../src/protocol/bell.js";
import { inside } from "../support/inside.js";
import { replacing } from "../support/replacing.js";
import { signalOf } from "../support/worker-stage.js";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json" },
  body: '{"itemId":"a","quantity":1}',
};

/** Creates a service whose queue publishes with `publish`, and a worker on the same store. */
function stage(publish: (rings: readonly Ring[]) => Promise<void>) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const events: ServiceEvent[] = [];
  const service = createOrderService({
    backend: withQueue(backend, replacing(backend.queue, { publish })),
    authorize: allowAnonymous(),
    runtime: { clock },
    observe: (event) => events.push(event),
  });
  const source = { definitions: service.definitions, backend, runtime: { clock } };
  const worker = createWorker(source, { orders: () => "done" });
  return { clock, events, service, worker };
}

const idOf = ({ operationId = "" }: Ring): string => operationId;

/** A bell whose queue publishes with `publish`, and what its observer sees. */
function bellOf(publish: Queue["publish"], runtime: Partial<Runtime> = {}) {
  const events: ServiceEvent[] = [];
  const bell = createBell({
    queue: { publish },
    runtime: { ...createSystemRuntime(), ...runtime },
    observe: (event) => events.push(event),
  });
  const ring = (operationId: string, dueInMs?: number) =>
    void bell.ring({ definition: "orders", operationId }, dueInMs);
  return { bell, ring, events };
}

describe("ringing", () => {
  it("is not awaited by the reply, so a broker that hangs does not delay it (F5)", async () => {
    const { service } = stage(() => new Promise(() => {}));
    expect((await service.handle(post)).status).toBe(202);
  });

  it.each([
    ["hangs", () => new Promise<void>(() => {})],
    ["refuses", () => Promise.reject(new Error("down"))],
    ["loses what it has accepted", () => Promise.resolve()],
  ])("with a broker that %s costs at most 10 s", async (_, publish) => {
    const { service, worker, clock } = stage(publish);
    await worker.start();
    await clock.advance(1);
    const { headers } = await service.handle(post);
    const get = { ...post, method: "GET", path: headers.location ?? "" };
    const status = async () => JSON.parse(String((await service.handle(get)).body));
    await clock.advance(9_900);
    expect(await status()).toMatchObject({ status: "pending" });
    await clock.advance(100);
    expect(await status()).toMatchObject({ status: "completed" });
    await worker.stop();
  });

  describe("for work that is due later", () => {
    function delayedStage() {
      const clock = createManualClock();
      const published: string[] = [];
      const { bell, ring } = bellOf(async (rings) => void published.push(...rings.map(idOf)), { clock });
      return { clock, published, bell, ring };
    }

    it("happens then, and once for all that is due after it", async () => {
      const { clock, published, ring } = delayedStage();
      ring("second", 2_000);
      ring("first", 1_000);
      ring("third", 3_000);
      await clock.advance(999);
      expect(published).toEqual([]);
      await clock.advance(1);
      expect(published).toEqual(["first"]);
      // A claim after the first ring says when the next work is due.
      await clock.advance(5_000);
      expect(published).toEqual(["first"]);
    });

    it("happens at once when the process stops, and not again", async () => {
      const { clock, published, bell, ring } = delayedStage();
      ring("later", 5_000);
      await bell.flush();
      expect(published).toEqual(["later"]);
      await clock.advance(10_000);
      expect(published).toEqual(["later"]);
    });

    it("does not happen if every worker has claimed by then", async () => {
      const { clock, published, bell, ring } = delayedStage();
      ring("much later", 10_000);
      await clock.advance(60_000);
      await bell.flush();
      expect(published).toEqual([]);
    });
  });

  it("publishes a lone operation at once, and those that follow in the same turn of the event loop together", async () => {
    const batches: number[] = [];
    const { service } = stage(async (rings) => void batches.push(rings.length));
    for (let sent = 0; sent < 4; sent += 1) await service.handle(post);
    expect(batches).toEqual([1]);
    await inside(service).bell.published();
    expect(batches).toEqual([1, 3]);
  });

  it("can be awaited while more rings all the time, and then waits for what rang before", async () => {
    let ended = false;
    const published: string[] = [];
    const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
    const { bell, ring } = bellOf(async (rings) => {
      await turn();
      published.push(...rings.map(idOf));
    });
    const ringAll = async (): Promise<void> => {
      for (let n = 0; n < 2_000 && !ended; n += 1) {
        ring(`later-${n}`);
        await turn();
      }
    };
    ring("first");
    ring("second");
    const ringing = ringAll();
    await bell.published();
    ended = true;
    await ringing;
    expect(published.slice(0, 2)).toEqual(["first", "second"]);
    expect(published.length).toBeLessThan(10);
  });

  it("that fails is reported to the observer", async () => {
    const { service, events } = stage(() => Promise.reject(new Error("down")));
    await service.handle(post);
    await inside(service).bell.published();
    expect(events).toContainEqual({ event: "background.failed", step: "ring", error: new Error("down") });
  });

  it("queues at most 10,000, leaves out the rest, and reports that once", async () => {
    const published: number[] = [];
    const gate = signalOf();
    const { bell, ring, events } = bellOf(async (rings) => {
      published.push(rings.length);
      await gate.promise;
    });
    for (let n = 0; n < 11_000; n += 1) ring(`id-${n}`);
    gate.resolve();
    await bell.published();
    expect(published.reduce((sum, count) => sum + count, 0)).toBe(10_000);
    expect(Math.max(...published)).toBeLessThanOrEqual(500);
    expect(events).toHaveLength(1);
  });

  it("is passed to waitUntil if the platform has it, and has ended when that resolves", async () => {
    const published: Ring[] = [];
    const { service } = stage(async (rings) => void published.push(...rings));
    const ringing: Promise<unknown>[] = [];
    await service.handle(post, { waitUntil: (work) => ringing.push(work) });
    await Promise.all(ringing);
    expect(published).toHaveLength(1);
  });
});

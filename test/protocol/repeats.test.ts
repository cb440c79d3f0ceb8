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

type Publish = (announcements: readonly Announcement[]) => Promise<void>;
const refuse: Publish = () => Promise.reject(new Error("down"));
const hang: Publish = () => new Promise(() => {});

/** Creates a service on a queue whose `publish` a test can replace, and a worker on the same store. */
function stage(publish: Publish) {
  const clock = createManualClock();
  const backend = createMemoryBackend({ clock });
  const broker = { publish };
  const queue = replacing(backend.queue, { publish: (announcements) => broker.publish(announcements) });
  const service = createOrderService({
    backend: withQueue(backend, queue),
    authorize: allowAnonymous(),
    runtime: { clock },
    observe: false,
  });
  const ran: string[] = [];
  const start = async (source: "own announcer" | "announcer of the service") => {
    const given = { definitions: service.definitions, backend: service.backend, runtime: { clock } };
    const worker = createWorker(source === "own announcer" ? given : service, {
      orders: (_order, { operationId }) => {
        ran.push(operationId);
        return "done";
      },
    });
    await worker.start();
    return worker;
  };
  return { clock, backend, broker, service, start, ran };
}

/** Creates an announcer on a queue that records the batches that it is offered, and accepts or refuses them. */
function announcing(accepts: (announcements: readonly Announcement[]) => boolean, random = () => 0.999) {
  const clock = createManualClock();
  const offered: { readonly at: number; readonly ids: readonly string[] }[] = [];
  const events: ServiceEvent[] = [];
  const start = clock.now();
  const announcer = createAnnouncer({
    queue: {
      publish: async (announcements) => {
        offered.push({ at: clock.now() - start, ids: announcements.map(({ operationId }) => operationId) });
        if (!accepts(announcements)) throw new Error("down");
      },
      consume: () => ({ receive: async () => [], close: async () => {} }),
      close: async () => {},
    },
    runtime: { ...createSystemRuntime(), clock, random },
    observe: (event) => events.push(event),
  });
  return { clock, announcer, offered, events };
}

describe("a failed announcement", () => {
  it.each([
    ["refused", refuse],
    ["did not confirm", hang],
  ])(
    "that the queue %s is repeated when the queue answers again, long before the sweep (F5)",
    async (_, down) => {
      const { clock, backend, broker, service, start, ran } = stage(down);
      await start("own announcer");
      expect((await service.handle(post)).status).toBe(202);
      await clock.advance(12_000);
      expect(ran).toEqual([]);
      broker.publish = (announcements) => backend.queue.publish(announcements);
      await clock.advance(15_000);
      await expect.poll(() => ran).toHaveLength(1);
      await service.close();
    },
  );

  it("is repeated with pauses that grow to 5 s and differ between processes", async () => {
    const pausesWith = async (random: () => number) => {
      const { clock, announcer, offered } = announcing(() => false, random);
      await announcer.announce({ id: "a", definition: "orders" });
      await clock.advance(30_000);
      await announcer.close();
      return offered.slice(1).map(({ at }, index) => at - (offered[index]?.at ?? 0));
    };
    expect(await pausesWith(() => 0)).toEqual([125, 250, 500, 1_000, 2_000, ...Array(10).fill(2_500)]);
    expect((await pausesWith(() => 1)).slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it("brings all others with it as soon as the queue accepts it, in batches of 500", async () => {
    let up = false;
    const { clock, announcer, offered } = announcing(() => up);
    const ids = Array.from({ length: 1_050 }, (_, n) => `id-${n}`);
    await Promise.all(ids.map((id) => announcer.announce({ id, definition: "orders" })));
    up = true;
    offered.length = 0;
    await clock.advance(250);
    expect(offered.flatMap(({ ids: accepted }) => accepted)).toEqual(ids);
    expect(Math.max(...offered.map(({ ids: accepted }) => accepted.length))).toBe(500);
    await clock.advance(60_000);
    expect(offered).toHaveLength(3);
  });

  it("does not hold up another definition if the queue refuses only its own", async () => {
    let down = true;
    const { clock, announcer, offered } = announcing(([first]) => !down && first?.definition === "reports");
    await Promise.all([
      ...["a", "b"].map((id) => announcer.announce({ id, definition: "orders" })),
      ...["c", "d"].map((id) => announcer.announce({ id, definition: "reports" })),
    ]);
    down = false;
    offered.length = 0;
    await clock.advance(1_500);
    expect(offered.map(({ ids }) => ids).slice(0, 2)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("is dropped if 10,000 newer ones wait, which leaves it to the sweep", async () => {
    let up = false;
    const { clock, announcer, offered } = announcing(() => up);
    for (const name of ["old", "new"])
      await Promise.all(
        Array.from({ length: 10_000 }, (_, n) =>
          announcer.announce({ id: `${name}-${n}`, definition: "orders" }),
        ),
      );
    await announcer.announce({ id: "last", definition: "orders" });
    up = true;
    offered.length = 0;
    await clock.advance(60_000);
    const accepted = offered.flatMap(({ ids }) => ids);
    expect(accepted).toHaveLength(10_000);
    expect(accepted).toContain("last");
    expect(accepted).not.toContain("new-0");
    expect(accepted.some((id) => id.startsWith("old"))).toBe(false);
  });

  it("is repeated once if it fails several times meanwhile, for example with the sweep", async () => {
    let up = false;
    const { clock, announcer, offered } = announcing(() => up);
    for (let time = 0; time < 3; time += 1) await announcer.announce({ id: "a", definition: "orders" });
    up = true;
    offered.length = 0;
    await clock.advance(60_000);
    expect(offered.map(({ ids }) => ids)).toEqual([["a"]]);
  });

  it("is reported with each repetition, and given up after 5 minutes without a new failure", async () => {
    const { clock, announcer, offered, events } = announcing(() => false);
    await announcer.announce({ id: "a", definition: "orders" });
    await clock.advance(310_000);
    const { length } = offered;
    expect(events).toHaveLength(length);
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["background.failed"]));
    await clock.advance(3_600_000);
    expect(offered).toHaveLength(length);
  });

  it("is not repeated after the service has closed", async () => {
    const { clock, broker, service } = stage(refuse);
    await service.handle(post);
    await inside(service).announcer.published();
    await service.close();
    let repeated = 0;
    broker.publish = async () => {
      repeated += 1;
    };
    await clock.advance(60_000);
    expect(repeated).toBe(0);
  });

  it.each([
    ["own announcer", 0],
    ["announcer of the service", 1],
  ] as const)("is repeated after a worker with its %s has stopped %i times", async (source, times) => {
    const { clock, broker, service, start } = stage(refuse);
    const worker = await start(source);
    await service.handle(post);
    await inside(service).announcer.published();
    // The sweep of the worker announces it too.
    await clock.advance(31_000);
    await worker.stop();
    const repeated: string[] = [];
    broker.publish = async (announcements) => {
      repeated.push(...announcements.map(({ operationId }) => operationId));
    };
    if (source === "own announcer") await inside(service).announcer.close();
    await clock.advance(20_000);
    expect(repeated).toHaveLength(times);
    await service.close();
  });
});

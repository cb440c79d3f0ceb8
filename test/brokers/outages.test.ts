import { setTimeout as sleep } from "node:timers/promises";
import { type Backend, createMemoryBackend, type Queue, withQueue } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { startTcpProxy } from "../servers/tcp-proxy.js";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { createSubmitter, createWork, orders, reports, type Submitter, type Work } from "./service.js";

/** Longer than a client needs to connect again, and than the next announcement of a sweep. */
const RECOVERY = { timeout: 60_000, interval: 50 };

/** An outage of 1 s has room for 50 replies in turn, but for one only if replies wait for the broker. */
const REPLIES = 10;

interface Load {
  /** Ends the load and returns the ids of all operations that it submitted. */
  end(): Promise<readonly string[]>;
  /** Number of operations that were submitted so far. */
  submitted(): number;
}

/** Submits an operation every 20 ms, in turns of both definitions, each after the reply to the one before. */
function startLoad({ submit }: Submitter): Load {
  const ids: string[] = [];
  let ended = false;
  const loop = async (): Promise<void> => {
    while (!ended) {
      ids.push(await submit(ids.length % 2 === 0 ? orders : reports));
      await sleep(20);
    }
  };
  const running = loop();
  return {
    end: async () => {
      ended = true;
      await running;
      return ids;
    },
    submitted: () => ids.length,
  };
}

describe.each(brokers)("an outage of $name", (broker) => {
  const { client, server } = useBroker(broker);
  let work: Work;

  afterEach(() => work.stop());

  /** Runs two workers under load during an outage, and checks that every operation is accepted and runs exactly once. */
  async function expectEveryOperationToRunOnce(queue: Queue, outage: () => Promise<void>): Promise<void> {
    const backend: Backend = withQueue(createMemoryBackend(), queue);
    const submitter = createSubmitter(backend);
    work = createWork();
    await Promise.all(["a", "b"].map((name) => work.start(name, backend)));
    const load = startLoad(submitter);
    await expect.poll(() => work.all().length).toBeGreaterThan(5);
    const submittedBefore = load.submitted();
    await outage();
    expect(load.submitted() - submittedBefore).toBeGreaterThan(REPLIES);
    const ranBefore = work.all().length;
    await expect.poll(() => work.all().length, RECOVERY).toBeGreaterThan(ranBefore + 5);
    const ids = await load.end();
    await expect
      .poll(async () => new Set(await submitter.states()), RECOVERY)
      .toEqual(new Set(["completed"]));
    expect([...work.all()].sort()).toEqual([...ids].sort());
    await work.stop();
    await backend.close();
  }

  it("of 10 s delays the work and no reply (F5)", async () => {
    await expectEveryOperationToRunOnce(client().createQueue({ name: newQueueName() }), async () => {
      await server().stop();
      await sleep(10_000);
      await server().start();
    });
  });

  it("by kill -9 delays the work and no reply (F4)", async () => {
    await expectEveryOperationToRunOnce(client().createQueue({ name: newQueueName() }), async () => {
      await server().settle();
      await server().kill9();
      await sleep(1_000);
      await server().start();
    });
  });

  it("by deleted queues delays the work and no reply (F21)", async () => {
    const name = newQueueName();
    await expectEveryOperationToRunOnce(client().createQueue({ name }), async () => {
      for (let round = 0; round < 3; round += 1) {
        await client().deleteQueue(name, round % 2 === 0 ? "orders" : "reports");
        await sleep(1_500);
      }
    });
  });

  it("by a network that cuts connections in the middle of a confirm delays the work and no reply (F22)", async () => {
    const proxy = await startTcpProxy(server().port);
    const cutClient = await broker.connect(proxy.port);
    await expectEveryOperationToRunOnce(cutClient.createQueue({ name: newQueueName() }), async () => {
      for (let cut = 0; cut < 6; cut += 1) {
        const direction = cut % 2 === 0 ? "down" : "up";
        await proxy.set({ does: "cut", direction, afterBytes: 50 + 37 * cut });
        await expect.poll(proxy.cuts, RECOVERY).toBe(cut + 1);
        await sleep(500);
      }
    });
    await cutClient.close();
    await proxy.close();
  });

  it("by a network that drops everything delays the work and no reply (F22)", async () => {
    const proxy = await startTcpProxy(server().port);
    const cutClient = await broker.connect(proxy.port);
    const queue = cutClient.createQueue({ name: newQueueName(), timeoutMs: 500 });
    await expectEveryOperationToRunOnce(queue, async () => {
      await proxy.set({ does: "drop" });
      await sleep(3_000);
      // Ends the connections that lost bytes, as a network does after a while.
      await proxy.set({ does: "refuse" });
      await proxy.set({ does: "pass" });
    });
    await cutClient.close();
    await proxy.close();
  });
});

import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryBackend, type Queue, withQueue } from "async-request-reply";
import { expect, onTestFinished } from "vitest";
import type { TcpProxy } from "../support/tcp-proxy.js";
import { RING, startListener } from "./harnesses.js";
import { createSubmitter, createWork, orders, reports, type Submitter, type Work } from "./service.js";

/** Time limit of calls to the broker, so that they soon fail in an outage. Milliseconds. */
export const CALL_MS = 1_000;
/** During a call that fails, there is room for 50 replies in turn, but for one only if replies wait for the broker. */
const REPLIES = 30;
/** Less than the calls of so many replies would take. */
const REPLIES_IN = { timeout: 20_000, interval: 50 };

/** Submits an operation every 20 ms, in turns of both definitions, each after the reply to the one before. */
function startLoad({ submit }: Submitter) {
  /** The ids so far. Those of orders and reports alternate. */
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
    ids: ids as readonly string[],
    /** Ends the load and returns the ids of all operations. */
    end: async () => {
      ended = true;
      await running;
      return ids;
    },
  };
}

/** Effects that an outage can wait for. */
export type Effects = ReturnType<typeof observeEffects>;

function observeEffects(queue: Queue, ids: readonly string[], work: Work, failures: () => number) {
  return {
    /** Resolves when two more calls to `publish` have failed. Checks that no reply waited for them. */
    untilFelt: async () => {
      const [replies, failed] = [ids.length + REPLIES, failures() + 2];
      await expect.poll(() => ids.length, REPLIES_IN).toBeGreaterThanOrEqual(replies);
      await expect.poll(failures).toBeGreaterThanOrEqual(failed);
    },
    /** Resolves when the broker confirms a ring. */
    untilConfirmed: () => expect.poll(() => queue.publish([RING]).catch(String)).toBeUndefined(),
    /** Resolves when operations of both definitions have run that were submitted from now on. */
    untilWorkGoesOn: async () => {
      const from = ids.length;
      const ran = (rest: number): boolean =>
        ids.some((id, index) => index >= from && index % 2 === rest && work.all().includes(id));
      await expect.poll(() => ran(0) && ran(1)).toBe(true);
    },
  };
}

/** Lets a proxy cut its next connection after some bytes, in turns of both directions. */
export async function cutOnce(proxy: TcpProxy, turn: number): Promise<void> {
  const direction = turn % 2 === 0 ? "down" : "up";
  await proxy.set({ does: "cut", direction, afterBytes: 50 + 37 * turn });
}

/** Ends the connections that lost bytes, as a network does after a while, and forwards again. */
export async function endDrop(proxy: TcpProxy): Promise<void> {
  await proxy.set({ does: "refuse" });
  await proxy.set({ does: "pass" });
}

/** Runs two workers under load during an outage, and checks that every operation is accepted and runs exactly once. */
export async function expectEveryOperationToRunOnce(
  queue: Queue,
  outage: (effects: Effects) => Promise<void>,
): Promise<void> {
  const backend = withQueue(createMemoryBackend(), queue);
  let failures = 0;
  const submitter = createSubmitter(backend, (event) => {
    if (event.event === "background.failed" && event.step === "ring") failures += 1;
  });
  const work = createWork();
  await Promise.all(["a", "b"].map((name) => work.start(name, backend)));
  const load = startLoad(submitter);
  // Otherwise the load of a failed test would go on during the next one.
  onTestFinished(async () => void (await load.end()));
  await expect.poll(() => work.all().length).toBeGreaterThan(5);
  await outage(observeEffects(queue, load.ids, work, () => failures));
  const ranBefore = work.all().length;
  await expect.poll(() => work.all().length).toBeGreaterThan(ranBefore + 5);
  const ids = await load.end();
  await expect.poll(async () => new Set(await submitter.states())).toEqual(new Set(["completed"]));
  expect([...work.all()].sort()).toEqual([...ids].sort());
  await expectToRing(queue);
  await work.stop();
  await backend.close();
}

/** Checks that the queue rings again, so that work does not begin only because workers claim without rings. */
async function expectToRing(queue: Queue): Promise<void> {
  const listener = startListener(queue, "orders");
  const isHeard = async (): Promise<number> => {
    await queue.publish([RING]).catch(() => {});
    return listener.rings();
  };
  await expect.poll(isHeard).toBe(1);
  await listener.close();
}

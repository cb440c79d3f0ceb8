import { setTimeout as sleep } from "node:timers/promises";
import { type Backend, createMemoryBackend, type Queue, withQueue } from "async-request-reply";
import { expect, onTestFinished } from "vitest";
import { createSubmitter, createWork, orders, reports, type Submitter } from "./service.js";

/** Longer than a client needs to connect again, and than the next announcement of a sweep. */
export const RECOVERY = { timeout: 60_000, interval: 50 };

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

/** Runs two workers under load during an outage, and checks that every operation is accepted and runs exactly once. */
export async function expectEveryOperationToRunOnce(
  queue: Queue,
  outage: () => Promise<void>,
): Promise<void> {
  const backend: Backend = withQueue(createMemoryBackend(), queue);
  const submitter = createSubmitter(backend);
  const work = createWork();
  onTestFinished(() => work.stop());
  await Promise.all(["a", "b"].map((name) => work.start(name, backend)));
  const load = startLoad(submitter);
  await expect.poll(() => work.all().length).toBeGreaterThan(5);
  const submittedBefore = load.submitted();
  await outage();
  expect(load.submitted() - submittedBefore).toBeGreaterThan(REPLIES);
  const ranBefore = work.all().length;
  await expect.poll(() => work.all().length, RECOVERY).toBeGreaterThan(ranBefore + 5);
  const ids = await load.end();
  await expect.poll(async () => new Set(await submitter.states()), RECOVERY).toEqual(new Set(["completed"]));
  expect([...work.all()].sort()).toEqual([...ids].sort());
  await work.stop();
  await backend.close();
}

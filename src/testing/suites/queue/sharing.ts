import type { Queue } from "../../../ports/queue.js";
import { newRing, type QueueCheck, type QueueStage } from "./fixtures.js";

/** Cases about several listeners that want the same definition. */
export const sharingChecks: readonly QueueCheck[] = [
  {
    rule: "share.any",
    name: "lets at least one of several listeners hear each ring",
    check: async (stage) => {
      const listeners = [await stage.connected("orders"), stage.listen(["orders"]), stage.listen(["orders"])];
      const sum = (): number => listeners.reduce((total, { heard }) => total + heard, 0);
      for (let count = 1; count <= 20; count += 1) {
        const before = sum();
        if (!(await stage.ringOnce(newRing(), () => sum() > before)))
          stage.fail(`none of three listeners heard ring ${count} of 20`);
      }
    },
  },
  {
    rule: "share.full",
    name: "rings for another listener if one has no slot left after it has heard a ring",
    check: (stage) => handsOn(stage, [stage.queue, stage.queue, stage.queue]),
  },
  {
    rule: "process.heard",
    name: "lets a listener of another process hear rings",
    needs: ["processes"],
    check: async (stage) => {
      const listener = stage.listen(["orders"], await stage.connect());
      for (let count = 0; count < 5; count += 1) await stage.ring("orders", listener);
    },
  },
  {
    rule: "process.full",
    name: "rings for a listener of another process if one has no slot left after it has heard a ring",
    needs: ["processes"],
    check: async (stage) => handsOn(stage, [stage.queue, await stage.connect()]),
  },
];

/** Lets listeners of these queues take one ring each. Checks that all of them hear a single ring, one after the other. */
async function handsOn(stage: QueueStage, queues: readonly Queue[]): Promise<void> {
  const listeners = queues.map((queue) => stage.listen([], queue));
  let most = 0;
  // A listener that does not listen yet misses the first rings.
  for (let round = 0; round < 5; round += 1) {
    const before = new Map(listeners.map((listener) => [listener, listener.heard]));
    for (const listener of listeners) listener.wantOnce("orders", "reports");
    const hearing = () => listeners.filter((listener) => listener.heard > (before.get(listener) ?? 0)).length;
    if (await stage.ringOnce(newRing(), () => hearing() === listeners.length)) return;
    most = Math.max(most, hearing());
  }
  stage.fail(`${most} of ${listeners.length} listeners with a slot each heard a ring`);
}

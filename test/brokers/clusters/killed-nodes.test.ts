import { expect, it, vi } from "vitest";
import { keysOf, sendAll } from "../../faults/orders.js";
import { expectOneEffectEach, startOrderService } from "../order-service.js";
import { describeOnEachCluster, untilComplete } from "./clusters.js";

/** Longer than the test, so that only the broker can wake up a worker. */
const NO_SWEEP = { worker: { sweepIntervalMs: 600_000 } };

/** Longer than all waits of the test, so that the wait that is over says what is missing. Milliseconds. */
const TIMEOUT_MS = 300_000;

describeOnEachCluster("processes with a cluster that loses a node", ({ bench, cluster, client }) => {
  it.each([
    ["a follower", "follower"],
    ["the leader", "leader"],
  ])(
    "accept every order and run it once, also while %s of the queue is gone (F25)",
    async (_, role) => {
      const { anyApi, stop } = await startOrderService({ bench, client }, NO_SWEEP);
      const keys = (when: string, count: number): readonly string[] => keysOf(`${role}-${when}`, count);
      const sent = [...(await sendAll(keys("before", 50), anyApi))];
      await bench().untilTerminal();
      const { nodes, leader } = cluster();
      const name = await leader();
      expect(nodes.map((node) => node.name)).toContain(name);
      const node = nodes.find((each) => (each.name === name) === (role === "leader"));
      const sending = sendAll(keys("meanwhile", 1_000), anyApi);
      await vi.waitUntil(async () => (await bench().held()) > 0, { timeout: 60_000, interval: 10 });
      await node?.kill9();
      sent.push(...(await sending));
      await bench().untilTerminal(100_000);
      await node?.start();
      await untilComplete(cluster());
      sent.push(...(await sendAll(keys("after", 50), anyApi)));
      await expectOneEffectEach(bench(), sent);
      await stop();
      expect(sent).toHaveLength(1_100);
    },
    TIMEOUT_MS,
  );
});

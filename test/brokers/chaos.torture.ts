import { expect, it } from "vitest";
import { runChaos } from "../faults/chaos.js";
import { RING } from "./harnesses.js";
import { DEFAULT_NAME, describeOnEachMix } from "./mixes.js";

const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000_000);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 20_000);

describeOnEachMix(
  "processes, a store and a broker killed at random",
  ({ bench, client, server }) => {
    it(`complete each of ${ORDERS} orders as one operation (seed ${SEED})`, async () => {
      const queue = client().createQueue({ name: DEFAULT_NAME });
      await queue.publish([RING]);
      await server().settle();
      const { sent, faults } = await runChaos(bench(), { seed: SEED, orders: ORDERS });
      expect(sent).toHaveLength(ORDERS);
      await queue.close();
      console.log({ seed: SEED, orders: ORDERS, faults });
    });
  },
  { fsync: true },
);

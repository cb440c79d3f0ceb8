import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { keysOf, sendAll } from "../../faults/orders.js";
import { createRandom, type Random } from "../../support/random.js";
import { expectOneEffectEach, startOrderService } from "../order-service.js";
import type { Cluster } from "./cluster.js";
import { describeOnEachCluster, untilComplete } from "./clusters.js";

const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000_000);
const ORDERS = Number(process.env.CHAOS_ORDERS ?? 20_000);

/** Mean time for which all nodes run, and for which one is gone. Milliseconds. */
const PAUSE_MS = 2_000;
const DOWN_MS = 1_000;
/** Time for all operations to end. A node that is killed loses rings. */
const TERMINAL_MS = 900_000;

describeOnEachCluster("processes with a cluster whose nodes are killed at random", (mix) => {
  it(`run each of ${ORDERS} orders once (seed ${SEED})`, async () => {
    const random = createRandom(SEED);
    const { anyApi, stop } = await startOrderService(mix);
    let busy = true;
    const sending = sendAll(keysOf("order", ORDERS), anyApi);
    const ending = sending
      .then(() => mix.bench().untilTerminal(TERMINAL_MS))
      .finally(() => {
        busy = false;
      });
    let kills = 0;
    for (; busy; kills += 1) await killOne(mix.cluster(), random);
    await ending;
    const sent = await sending;
    await expectOneEffectEach(mix.bench(), sent);
    await stop();
    expect(sent).toHaveLength(ORDERS);
    console.log({ seed: SEED, orders: ORDERS, kills });
  });
});

/** Kills one node and waits until it is back and has caught up. */
async function killOne(cluster: Cluster, random: Random): Promise<void> {
  await sleep(random.below(2 * PAUSE_MS));
  const node = random.pick(cluster.nodes);
  await node.kill9();
  await sleep(random.below(2 * DOWN_MS));
  await node.start();
  await untilComplete(cluster);
}

import { drainAll } from "./drain.mjs";
import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";
import { expectCount } from "./spent.mjs";

const CLIENTS = 32;

/**
 * Accepts, completes and purges operations several times, each time with the `VACUUM` that autovacuum would run. Returns how many
 * bytes tables and indexes have grown, although they hold no more rows than before.
 */
export async function churn(variant, { operations, cycles }) {
  const before = await variant.bytes();
  for (let cycle = 0; cycle < cycles; cycle++) {
    await runCalls(CLIENTS, operations, () => variant.accept(newOrder(variant.choices)));
    expectCount("completed", await drainAll(variant), operations);
    expectCount("purged", await variant.purge(operations), operations);
    await variant.vacuum();
  }
  return { bytes: await variant.bytes(), grownBytes: (await variant.bytes()) - before };
}

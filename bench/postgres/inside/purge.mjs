import { beginSpending, expectCount } from "./spent.mjs";

const LIMIT = 500;

/**
 * Purges operations that expired together from concurrent loops. If `redriven`, every other one is the successor of the one
 * before it. Returns the figures of one purged operation, and the number of deadlocks.
 */
export async function purge(variant, { operations, redriven, purgers, pids }) {
  await variant.expired(operations, redriven);
  const deadlocksBefore = await variant.deadlocks();
  const spent = beginSpending(pids);
  let purged = 0;
  const loop = async () => {
    while (purged < operations) {
      const count = await variant.purgeExpired(LIMIT);
      purged += count;
    }
  };
  await Promise.all(Array.from({ length: purgers }, loop));
  const figures = spent(operations);
  expectCount("purged", purged, operations);
  return { ...figures, deadlocks: (await variant.deadlocks()) - deadlocksBefore };
}

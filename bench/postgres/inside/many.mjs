import { runLoops } from "./load.mjs";
import { newOrder } from "./orders.mjs";
import { beginSpending, expectCount } from "./spent.mjs";

/** Submits orders one list after the other: each list with one call, or with one awaited call for each of its orders. */
export async function many(variant, { size, inLists, seconds, pids }) {
  await variant.reset();
  const before = await variant.accepted();
  const spent = beginSpending(pids);
  const lists = await runLoops(1, seconds, async () => {
    const orders = Array.from({ length: size }, () => newOrder(variant.choices));
    if (inLists) return variant.submitMany(orders);
    for (const order of orders) await variant.submit(order);
  });
  const count = lists.length * size;
  const figures = spent(count);
  await variant.settled?.();
  expectCount("submitted", (await variant.accepted()) - before, count);
  return figures;
}

import { runLoops } from "./load.mjs";
import { beginSpending } from "./spent.mjs";

/** Reads one operation by id, and counts the operations of the definition, each from one loop. */
export async function stats(variant, { seconds, pids }) {
  const [id] = await variant.someIds(1);
  const measure = async (call) => {
    const spent = beginSpending(pids);
    const { length: calls } = await runLoops(1, seconds, call);
    return spent(calls);
  };
  return { get: await measure(() => variant.read(id)), stats: await measure(() => variant.stats()) };
}

import { beginSpending, expectCount } from "./spent.mjs";

const LIMIT = 128;

/** Claims and completes everything that is due, 128 operations at a time. */
export async function drain(variant, { pids }) {
  const due = await variant.due();
  const spent = beginSpending(pids);
  const calls = await drainAll(variant);
  const figures = spent(calls);
  expectCount("claimed and completed", calls, due);
  return figures;
}

/** Completes one batch while it claims the next. */
export async function drainAll(variant) {
  let count = 0;
  let completing;
  for (;;) {
    const claimed = await variant.claim(LIMIT);
    await completing;
    if (claimed.length === 0) return count;
    count += claimed.length;
    completing = variant.complete(claimed);
  }
}

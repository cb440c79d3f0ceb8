import { drainAll } from "./drain.mjs";
import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";
import { beginSpending, expectCount } from "./spent.mjs";

const CLIENTS = 128;
const LATER_MS = 3_600_000;

/** Claims and completes orders of many tenants, beside others whose only order is due later. */
export async function crowd(variant, { tenants, each, later = 0, pids }) {
  await variant.reset();
  let number = 0;
  await runCalls(CLIENTS, later, () =>
    variant.accept({ ...newOrder(), tenant: `later ${number++}`, delayMs: LATER_MS }),
  );
  await runCalls(CLIENTS, tenants * each, () =>
    variant.accept({ ...newOrder(), tenant: `tenant ${number++ % tenants}` }),
  );
  const spent = beginSpending(pids);
  const calls = await drainAll(variant);
  const figures = spent(calls);
  expectCount("claimed and completed", calls, tenants * each);
  return figures;
}

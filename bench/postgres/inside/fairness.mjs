import { createCounter } from "./counter.mjs";
import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";

const CLIENTS = 64;

/**
 * Accepts the orders of one tenant, then one order of another tenant, and then starts to work. Returns how many orders of the
 * first tenant began before that of the second one.
 */
export async function fairness(variant, { flood }) {
  await variant.reset();
  await runCalls(CLIENTS, flood, () => variant.accept({ ...newOrder(), tenant: "flood" }));
  const newcomer = { ...newOrder(), tenant: "newcomer" };
  await variant.accept(newcomer);
  const started = createCounter();
  let before = 0;
  let came = false;
  const stop = await variant.startWork({
    onStart: (id) => {
      if (id === newcomer.id) {
        came = true;
        started.add();
      } else if (!came) before += 1;
    },
    onCompleted: () => {},
  });
  await started.reached(1);
  await stop();
  return { before };
}

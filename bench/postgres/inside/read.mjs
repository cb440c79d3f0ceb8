import { runLoops } from "./load.mjs";
import { beginSpending, expectCount } from "./spent.mjs";

const IDS = 5_000;

/** Reads finished operations at random places in the table. */
export async function read(variant, { clients, seconds, pids }) {
  const ids = await variant.someIds(IDS);
  let found = 0;
  const readOne = async () => {
    const id = ids[Math.floor(Math.random() * ids.length)];
    if ((await variant.read(id)) !== undefined) found++;
  };
  const spent = beginSpending(pids);
  const { length: calls } = await runLoops(clients, seconds, readOne);
  const figures = spent(calls);
  expectCount("found", found, calls);
  return figures;
}

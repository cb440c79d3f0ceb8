import { median, printRows } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { verdict } from "../report.mjs";
import { graphileWorker, pgBoss, product } from "../variants.mjs";

const FLOOD = Number(process.env.BENCH_FLOOD ?? 100_000);
/** Peers accept a tenth of it, because they need minutes for more, and the result is the same. */
const FLOOD_OF_PEERS = FLOOD / 10;
const SLOTS = 128;

/** G16: starts of a tenant's backlog before the start of another tenant's only order. BENCH_FLOOD sets the backlog. */
export async function fairness({ rounds, seed, withVariants }) {
  const ours = [product];
  await withVariants([...ours, graphileWorker, pgBoss], (opened) => report(opened, ours, { rounds, seed }));
}

/** Measures the variants and prints the result. Those of `ours` must keep to the goal. */
export async function report(opened, ours, { rounds, seed }) {
  const isOurs = ({ name }) => ours.some((own) => own.name === name);
  const samples = await inRounds(opened, { rounds, seed }, (variant) =>
    variant.call("fairness", { flood: isOurs(variant) ? FLOOD : FLOOD_OF_PEERS }),
  );
  console.log(
    `\nfairness: starts of another tenant's backlog before the only order of a tenant, ${SLOTS} slots`,
  );
  printRows([
    ["variant", "backlog", "starts before, median (min-max)", ""],
    ...opened.map((variant) => {
      const before = samples.get(variant.name).map((sample) => sample.before);
      const figures = `${median(before)} (${Math.min(...before)}-${Math.max(...before)})`;
      const goal = isOurs(variant) ? `<= ${SLOTS + 1}: ${verdict(Math.max(...before) <= SLOTS + 1)}` : "";
      return [variant.name, String(isOurs(variant) ? FLOOD : FLOOD_OF_PEERS), figures, goal];
    }),
  ]);
}

import { median, printRows, ratios, spread } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { verdict } from "../report.mjs";
import { graphileWorker, groupCommit, pgBoss, product } from "../variants.mjs";

const PER_SECOND = 40;
/** A sample lasts longer than others: its p99 should not be its slowest call. */
const LENGTH = 4;
const subjects = [groupCommit, product, graphileWorker, pgBoss];

/** G10: from the call that accepts to the start of the work, when there is little to do. */
export async function latency({ rounds, seed, seconds, withVariants }) {
  await withVariants(subjects, async (opened) => {
    const sample = (share) => (variant) =>
      variant.call("latency", { perSecond: PER_SECOND, seconds: seconds * LENGTH * share });
    await inRounds(opened, { rounds: 1, seed }, sample(0.5)); // the warm-up
    const samples = await inRounds(opened, { rounds, seed }, sample(1));
    console.log(`\nlatency: from the call that accepts to the start, ${PER_SECOND} a second at random times`);
    printRows([
      ["variant", "p50 ms", `p50 beside ${groupCommit.name}`, "p99 ms"],
      ...[...samples].map(([name, own]) => [
        name,
        middle(own, "p50Ms").toFixed(2),
        spread(ratios(own, samples.get(groupCommit.name), "p50Ms")),
        middle(own, "p99Ms").toFixed(2),
      ]),
    ]);
    const own = samples.get(product.name);
    const besides = (other) => ratios(own, samples.get(other.name), "p50Ms");
    printRows([
      ["goal", "variant", "bound", "measured", ""],
      line(`p50 <= 0.70 of ${graphileWorker.name}`, besides(graphileWorker), 0.7),
      line(`p50 <= 1.10 of ${groupCommit.name}`, besides(groupCommit), 1.1),
      line(
        "p99 <= 5.00 of p50",
        own.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms),
        5,
      ),
    ]);
  });
}

function middle(samples, metric) {
  return median(samples.map((sample) => sample[metric]));
}

function line(bound, values, atMost) {
  return ["G10", product.name, bound, spread(values), verdict(median(values) <= atMost)];
}

import { median, printRows, ratios, spread } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { verdict } from "../report.mjs";
import { graphileWorker, groupCommit, pgBoss, product } from "../variants.mjs";

const PER_SECOND = 40;
/** How much longer a sample lasts than in other sections, so that p99 is not simply the slowest call. */
const LENGTH = 4;
const subjects = [groupCommit, product, graphileWorker, pgBoss];

/** G10: time from the accepting call to the start of the work, under low load. */
export async function latency({ rounds, seed, seconds, withVariants }) {
  await withVariants(subjects, async (opened) => {
    const sample = (share) => (variant) =>
      variant.call("latency", { perSecond: PER_SECOND, seconds: seconds * LENGTH * share });
    await inRounds(opened, { rounds: 1, seed }, sample(0.5)); // warm-up
    const samples = await inRounds(opened, { rounds, seed }, sample(1));
    console.log(
      `\nlatency: from the accepting call to the start of the work, ${PER_SECOND} per second at random times`,
    );
    printRows([
      ["variant", "p50 ms", `p50 ratio to ${groupCommit.name}`, "p99 ms"],
      ...[...samples].map(([name, own]) => [
        name,
        middle(own, "p50Ms").toFixed(2),
        spread(ratios(own, samples.get(groupCommit.name), "p50Ms")),
        middle(own, "p99Ms").toFixed(2),
      ]),
    ]);
    const own = samples.get(product.name);
    const ratiosTo = (other) => ratios(own, samples.get(other.name), "p50Ms");
    printRows([
      ["goal", "variant", "bound", "measured", ""],
      line(`p50 <= 0.70 of ${graphileWorker.name}`, ratiosTo(graphileWorker), 0.7),
      line(`p50 <= 1.10 of ${groupCommit.name}`, ratiosTo(groupCommit), 1.1),
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

import { chosen } from "../../postgres/variants.mjs";
import { inRounds } from "../../rounds.mjs";
import { measureLatency, measureThroughput } from "../measures.mjs";
import { printComparison } from "../report.mjs";
import { variants } from "../variants.mjs";

const PER_SECOND = 50;
/** How much longer a sample lasts than in other sections, so that p99 is not simply the slowest order. */
const LENGTH = 1.5;
/** A process that has served only a few orders has not compiled its code yet. */
const WARM_UP = { clients: 16, seconds: 0.5 };

/** Time from the accepting call to its return, and from there to the start of the work in another process, under low load. */
export async function latency({ rounds, seed, seconds, withVariants }) {
  await withVariants(chosen(variants), async (opened) => {
    await inRounds(opened, { rounds: 1, seed }, (variant) => measureThroughput(variant, WARM_UP));
    const samples = await inRounds(opened, { rounds, seed }, (variant) =>
      measureLatency(variant, { perSecond: PER_SECOND, seconds: seconds * LENGTH }),
    );
    printComparison(`latency: ${PER_SECOND} orders per second at random times`, samples, [
      ["accept p50 ms", ({ acceptP50Ms }) => acceptP50Ms, 2],
      ["accepted to start p50 ms", ({ startP50Ms }) => startP50Ms, 2],
      ["p99 ms", ({ startP99Ms }) => startP99Ms, 2],
      ["call to start p50 ms", ({ wallUs }) => wallUs / 1e3, 2],
    ]);
  });
}

import { median, printRows } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { verdict } from "../report.mjs";
import { onePerTenant } from "../variants.mjs";

/** How soon the next order of a tenant starts if many tenants are at their limit. */
export async function full({ rounds, seed, withVariants }) {
  await withVariants([onePerTenant], (opened) => reportFull(opened, { rounds, seed }));
}

const FULL_TENANTS = 1_600;
const MAX_NEXT_START_MS = 50;

/** Measures how soon the next order of a tenant starts if each of many tenants runs as many as its limit allows, and prints it. */
export async function reportFull(opened, { rounds, seed, maxBlockMs = Number.POSITIVE_INFINITY }) {
  const samples = await inRounds(opened, { rounds, seed }, (variant) =>
    variant.call("full", { tenants: FULL_TENANTS }),
  );
  console.log(
    `\nfull: from the end of an order to the next start of its tenant, ${FULL_TENANTS} full tenants`,
  );
  printRows([
    ["variant", "p50 ms", "p99 ms", "longest block of the event loop, ms", ""],
    ...opened.map(({ name }) => {
      const own = samples.get(name);
      const medianOf = (of) => median(own.map(of));
      const p50Ms = medianOf((sample) => sample.p50Ms);
      const blockMs = medianOf((sample) => sample.longestBlockMs);
      const isMet = p50Ms <= MAX_NEXT_START_MS && blockMs <= maxBlockMs;
      const goal = `<= ${MAX_NEXT_START_MS}${Number.isFinite(maxBlockMs) ? `, <= ${maxBlockMs}` : ""}`;
      const p99Ms = medianOf((sample) => sample.p99Ms);
      return [name, ...[p50Ms, p99Ms, blockMs].map((ms) => ms.toFixed(1)), `${goal}: ${verdict(isMet)}`];
    }),
  ]);
}

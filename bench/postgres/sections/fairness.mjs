import { median, printRows, spread } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { verdict } from "../report.mjs";
import {
  bullmq,
  chosen,
  graphileByTenant,
  graphileWorker,
  pgBoss,
  pgBossByTenant,
  product,
} from "../variants.mjs";

const FLOOD = Number(process.env.BENCH_FLOOD ?? 100_000);
/** Peers accept a tenth of it, because they need minutes for more, and the result is the same. */
const FLOOD_OF_PEERS = FLOOD / 10;
const SLOTS = 128;

/** G16: starts of a tenant's backlog before the start of another tenant's only order. BENCH_FLOOD sets the backlog. */
export async function fairness({ rounds, seed, withVariants }) {
  const ours = [product];
  await withVariants(
    chosen([...ours, graphileWorker, graphileByTenant, pgBoss, pgBossByTenant, bullmq]),
    async (opened) => {
      await report(opened, ours, { rounds, seed });
      await reportQuiet(opened, ours, { rounds, seed });
    },
  );
}

/** Measures the variants and prints the result. Those of `ours` must keep to the goal. */
export async function report(opened, ours, { rounds, seed }) {
  const samples = await inRounds(opened, { rounds, seed }, (variant) =>
    variant.call("fairness", { flood: backlogOf(variant, ours) }),
  );
  console.log(
    `\nfairness: starts of another tenant's backlog before the only order of a tenant, ${SLOTS} slots`,
  );
  printRows([
    ["variant", "backlog", "starts before, median (min-max)", ""],
    ...opened.map((variant) => {
      const before = samples.get(variant.name).map((sample) => sample.before);
      const figures = `${median(before)} (${Math.min(...before)}-${Math.max(...before)})`;
      const goal = isOneOf(ours, variant)
        ? `<= ${SLOTS + 1}: ${verdict(Math.max(...before) <= SLOTS + 1)}`
        : "";
      return [variant.name, String(backlogOf(variant, ours)), figures, goal];
    }),
  ]);
}

/** How long the work on each order takes. Without any work, the CPU is busy, and all slots hold orders that begin or end. */
const WORK_MS = [0, 25];

/** Measures how long the orders of quiet tenants wait, without and with the backlog of another tenant, and prints it. */
export async function reportQuiet(opened, ours, { rounds, seed }) {
  const samples = await inRounds(opened, { rounds, seed }, async (variant) => {
    const sample = [];
    for (const workMs of WORK_MS)
      sample.push({
        alone: await variant.call("quiet", { backlog: 0, workMs }),
        beside: await variant.call("quiet", { backlog: backlogOf(variant, ours), workMs }),
      });
    return sample;
  });
  console.log("\nfairness: waits of 1,000 quiet tenants, 250 orders per second in all");
  printRows([
    [
      "variant",
      "work",
      "backlog of another tenant",
      "p99 ms without it",
      "p50 ms",
      "p99 ms",
      "p99 ratio",
      "",
    ],
    ...opened.flatMap((variant) =>
      WORK_MS.map((workMs, which) => {
        const own = samples.get(variant.name).map((sample) => sample[which]);
        const ratios = own.map(({ alone, beside }) => beside.p99Ms / alone.p99Ms);
        const medianOf = (of) => median(own.map(of)).toFixed(1);
        return [
          variant.name,
          `${workMs} ms`,
          String(backlogOf(variant, ours)),
          medianOf(({ alone }) => alone.p99Ms),
          medianOf(({ beside }) => beside.p50Ms),
          medianOf(({ beside }) => beside.p99Ms),
          spread(ratios),
          isOneOf(ours, variant) ? `<= 2.00: ${verdict(median(ratios) <= 2)}` : "",
        ];
      }),
    ),
  ]);
}

function isOneOf(ours, { name }) {
  return ours.some((own) => own.name === name);
}

function backlogOf(variant, ours) {
  return isOneOf(ours, variant) ? FLOOD : FLOOD_OF_PEERS;
}

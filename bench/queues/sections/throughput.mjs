import { chosen } from "../../postgres/variants.mjs";
import { inRounds } from "../../rounds.mjs";
import { measureThroughput } from "../measures.mjs";
import { printComparison } from "../report.mjs";
import { variants } from "../variants.mjs";

const CLIENTS = 64;

/** Throughput from acceptance to `completed`, across two processes. The work does nothing. */
export async function throughput({ rounds, seed, seconds, withVariants }) {
  await withVariants(chosen(variants), async (opened) => {
    const sample = (length) => (variant) => measureThroughput(variant, { clients: CLIENTS, seconds: length });
    await inRounds(opened, { rounds: 1, seed }, sample(seconds / 2)); // warm-up
    const samples = await inRounds(opened, { rounds, seed }, sample(seconds));
    printComparison(`throughput: accept with ${CLIENTS} clients until completed`, samples, [
      ["per second", ({ wallUs }) => 1e6 / wallUs, 0],
    ]);
  });
}

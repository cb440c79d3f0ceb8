import { printRateGoals, printRates } from "../../postgres/report.mjs";
import { inRounds } from "../../rounds.mjs";
import { overHttp, slowOneByOne, slowOverHttp } from "../variants.mjs";

const CLIENTS = 32;
const goals = [{ goal: "group", of: slowOverHttp.name, to: slowOneByOne.name, atLeast: 8 }];

/** The gain of a shared commit over HTTP, on the disk of this machine and on one that takes 2 ms for each commit. */
export async function http({ rounds, seed, seconds, withVariants }) {
  await withVariants([overHttp, slowOverHttp, slowOneByOne], async (opened) => {
    const sample = (variant) => variant.call("accept", { clients: CLIENTS, seconds });
    await inRounds(opened, { rounds: 1, seed }, sample); // warm-up
    const samples = await inRounds(opened, { rounds, seed }, sample);
    printRates(`accept over HTTP, ${CLIENTS} clients in the same process`, samples, slowOneByOne.name);
    printRateGoals(goals, samples);
  });
}

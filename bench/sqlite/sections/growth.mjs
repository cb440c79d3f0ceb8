import { printRateGoals, printRates, printSizes } from "../../postgres/report.mjs";
import { inRounds } from "../../rounds.mjs";
import { empty, large } from "../variants.mjs";

const CLIENTS = 32;
const FILLED = large.options.rows;
const goals = [{ goal: "G13", of: large.name, to: empty.name, atLeast: 0.9 }];

/** How much room half a million finished operations take, and how much they slow down new ones. */
export async function growth({ rounds, seed, seconds, withVariants }) {
  await withVariants([empty, large], async (opened) => {
    const steps = async (variant) => ({
      accept: await variant.call("accept", { clients: CLIENTS, seconds }),
      drain: await variant.call("drain"),
    });
    printSizes(`growth: size of a file with ${large.name}`, await opened[1].call("sizes"), FILLED);
    await inRounds(opened, { rounds: 1, seed }, steps); // warm-up
    const samples = await inRounds(opened, { rounds, seed }, steps);
    print(`growth: accept, ${CLIENTS} clients`, samples, "accept");
    print("growth: claim and settle, 128 at a time", samples, "drain");
  });
}

function print(title, samples, step) {
  const own = new Map([...samples].map(([name, rounds]) => [name, rounds.map((round) => round[step])]));
  printRates(title, own, empty.name);
  printRateGoals(goals, own);
}

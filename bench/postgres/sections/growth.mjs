import { median, printRows, ratios, spread } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { printRateGoals, printRates, printSizes, verdict } from "../report.mjs";
import { filled } from "../variants.mjs";

const MILLION = 1_000_000;
const CLIENTS = 32;
const READERS = 8;
const WAL_ACCEPTS = 2_000;
const WAL_ROUNDS = 3;
const LEAST = 0.9;

const { none, smallRandomKeys, smallOrderedKeys, randomKeys, orderedKeys, randomIds } = filled;
const large = [randomKeys, orderedKeys];
const measured = [none, ...large];
const logged = [smallOrderedKeys, smallRandomKeys, orderedKeys, randomKeys, randomIds];

/** G11: how much room a million finished operations take, and how much they slow down new ones. */
export async function growth({ rounds, seed, seconds, withVariants }) {
  await withVariants([...new Set([...measured, ...logged])], async (opened) => {
    const among = (variants) => variants.map(({ name }) => opened.find((variant) => variant.name === name));
    for (const variant of among(large))
      printSizes(`growth: size of ${variant.name}`, await variant.call("sizes"), MILLION);
    const sample = (variant) => sampleSteps(variant, seconds);
    await inRounds(among(measured), { rounds: 1, seed }, sample); // warm-up
    const samples = await inRounds(among(measured), { rounds, seed }, sample);
    printStep(`growth: accept, ${CLIENTS} clients`, samples, "accept");
    printStep("growth: claim and complete, 128 at a time", samples, "drain");
    printStep(`growth: GET, ${READERS} clients`, samples, "read");
    const walSample = (variant) => variant.call("wal", { clients: CLIENTS, accepts: WAL_ACCEPTS });
    printWal(await inRounds(among(logged), { rounds: WAL_ROUNDS, seed }, walSample));
  });
}

/** Completes everything that it accepts, so that every round starts with an empty queue. */
async function sampleSteps(variant, seconds) {
  const accept = await variant.call("accept", { clients: CLIENTS, seconds });
  const drain = await variant.call("drain");
  const read = await variant.call("read", { clients: READERS, seconds: seconds / 2 });
  return { accept, drain, read };
}

function printStep(title, samples, step) {
  const own = new Map([...samples].map(([name, rounds]) => [name, rounds.map((round) => round[step])]));
  printRates(title, own, none.name);
  const goals = large.map(({ name }) => ({ goal: "G11", of: name, to: none.name, atLeast: LEAST }));
  printRateGoals(goals, own);
}

function printWal(samples) {
  console.log(`\ngrowth: write-ahead log after a checkpoint, ${WAL_ROUNDS} x ${WAL_ACCEPTS} accepts`);
  const bytes = ({ name }) => samples.get(name);
  printRows([
    ["table", "bytes per accept"],
    ...[...samples].map(([name, own]) => [name, median(own.map(({ walBytes }) => walBytes)).toFixed(0)]),
  ]);
  const line = (of, to, atMost) => {
    const values = ratios(bytes(of), bytes(to), "walBytes");
    const met = atMost === undefined ? "reported" : verdict(median(values) <= atMost);
    const bound = `${atMost === undefined ? "" : `<= ${atMost.toFixed(2)} of `}${to.name}`;
    return ["G11", of.name, bound, spread(values), met];
  };
  printRows([
    ["goal", "table", "bound", "measured", ""],
    line(randomKeys, randomIds, 0.6),
    line(orderedKeys, smallOrderedKeys, 1.3),
    line(randomKeys, smallRandomKeys),
  ]);
}

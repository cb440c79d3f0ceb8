import { median, printRows } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { printRates } from "../report.mjs";
import { layouts as variants } from "../variants.mjs";

const CLIENTS = 32;
const WAL_ACCEPTS = 2_000;
/** Few rounds are enough: the differences are large, and each round does a lot of work. */
const MOST_ROUNDS = 3;
const CHURN = { operations: 10_000, cycles: 3 };

/** Compares one row with three tables for key, operation and job. Both use group commit. */
export async function layouts({ rounds, seed, seconds, withVariants }) {
  for (const rows of new Set(variants.map((variant) => variant.rows))) {
    await withVariants(
      variants.filter((variant) => variant.rows === rows),
      async (opened) => {
        const sample = (variant) => sampleSteps(variant, seconds);
        await inRounds(opened, { rounds: 1, seed }, sample); // warm-up
        const samples = await inRounds(opened, { rounds: Math.min(rounds, MOST_ROUNDS), seed }, sample);
        const [{ name: base }] = opened;
        printRates(`layouts: accept, ${CLIENTS} clients`, stepOf(samples, "accept"), base);
        printRates("layouts: claim and complete, 128 at a time", stepOf(samples, "drain"), base);
        printBytes(stepOf(samples, "wal"), await churnAll(opened));
      },
    );
  }
}

async function sampleSteps(variant, seconds) {
  const accept = await variant.call("accept", { clients: CLIENTS, seconds });
  const drain = await variant.call("drain");
  const wal = await variant.call("wal", { clients: CLIENTS, accepts: WAL_ACCEPTS });
  await variant.call("drain");
  return { accept, drain, wal };
}

async function churnAll(opened) {
  const sizes = [];
  for (const variant of opened) sizes.push(await variant.call("churn", CHURN));
  return sizes;
}

function stepOf(samples, step) {
  return new Map([...samples].map(([name, rounds]) => [name, rounds.map((round) => round[step])]));
}

function printBytes(wal, sizes) {
  const { operations, cycles } = CHURN;
  console.log(
    `\nlayouts: bytes; churn is ${cycles} x ${operations} operations accepted, completed, purged and vacuumed`,
  );
  const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(1);
  printRows([
    ["layout", "WAL bytes per accept", "MB after churn", "MB of growth"],
    ...[...wal].map(([name, own], index) => [
      name,
      median(own.map(({ walBytes }) => walBytes)).toFixed(0),
      megabytes(sizes[index].bytes),
      megabytes(sizes[index].grownBytes),
    ]),
  ]);
}

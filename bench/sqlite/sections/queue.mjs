import { printRateGoals, printRates } from "../../postgres/report.mjs";
import { inRounds } from "../../rounds.mjs";
import { onPostgres, onSqlite, plainjob } from "../variants.mjs";

const CLIENTS = 32;
const LEAST = 1.4;
const goals = [{ goal: "G13", of: onSqlite.name, to: onPostgres.name, atLeast: LEAST }];

/**
 * Throughput from acceptance to `completed`, and of the steps of a worker alone. The worker of liteque is not measured, because it
 * throws with this version of better-sqlite3.
 */
export async function queue({ rounds, seed, seconds, withVariants }) {
  await withVariants([onSqlite, onPostgres, plainjob], async (opened) => {
    const sample = (variant) => variant.call("queue", { clients: CLIENTS, seconds });
    await inRounds(opened, { rounds: 1, seed }, sample); // warm-up
    const samples = await inRounds(opened, { rounds, seed }, sample);
    printRates(`queue: accept with ${CLIENTS} clients until completed`, samples, onPostgres.name);
  });
  await withVariants([onSqlite, onPostgres], async (opened) => {
    const sample = async (variant) => {
      await variant.call("accept", { clients: CLIENTS, seconds });
      return variant.call("drain");
    };
    await inRounds(opened, { rounds: 1, seed }, sample); // warm-up
    const samples = await inRounds(opened, { rounds, seed }, sample);
    printRates("claim and settle, 128 at a time", samples, onPostgres.name);
    printRateGoals(goals, samples);
  });
}

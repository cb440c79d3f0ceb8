import { inRounds } from "../../rounds.mjs";
import { printRateGoals, printRates } from "../report.mjs";
import * as variants from "../variants.mjs";

const {
  bullmq,
  bullmqOnPostgres,
  bullmqPlain,
  chosen,
  dbosWithStep,
  graphilePlain,
  graphileWorker,
  groupCommit,
  pgBoss,
  pgBossPlain,
  product,
  restate,
} = variants;

const CLIENTS = 32;
const subjects = [
  groupCommit,
  product,
  pgBoss,
  pgBossPlain,
  graphileWorker,
  graphilePlain,
  bullmq,
  bullmqPlain,
  bullmqOnPostgres,
  dbosWithStep,
  restate,
];

const goals = [
  { goal: "G9", of: product.name, to: pgBoss.name, atLeast: 7 },
  { goal: "G9", of: product.name, to: graphileWorker.name, atLeast: 10 },
  { goal: "G9", of: product.name, to: bullmq.name, atLeast: 5 },
  { goal: "G9", of: product.name, to: groupCommit.name, atLeast: 0.8 },
];

/** G9: throughput from acceptance to `completed`. The worker runs in the same process, and its processor does nothing. */
export async function queue({ rounds, seed, seconds, withVariants }) {
  await withVariants(chosen(subjects), async (opened) => {
    const sample = (variant) => variant.call("queue", { clients: CLIENTS, seconds });
    await inRounds(opened, { rounds: 1, seed }, sample); // warm-up
    const samples = await inRounds(opened, { rounds, seed }, sample);
    printRates(`queue: accept with ${CLIENTS} clients until completed`, samples, groupCommit.name);
    printRateGoals(goals, samples);
  });
}

import { inRounds } from "../../rounds.mjs";
import { printRateGoals, printRates } from "../report.mjs";
import * as variants from "../variants.mjs";

const {
  bullmqOnPostgres,
  bullmqPlain,
  byHand,
  dbos,
  graphilePlain,
  graphileWorker,
  groupCommit,
  oneCte,
  pgBoss,
  pgBossPlain,
  product,
  productOverHttp,
} = variants;
const { rawInsert, rawSameRow, transaction } = variants;

const ours = [rawInsert, rawSameRow, oneCte, transaction, groupCommit, product, productOverHttp];
const peers = [pgBoss, graphileWorker, dbos];
const plain = [pgBossPlain, graphilePlain, bullmqPlain];
const all = [...ours, ...peers, bullmqOnPostgres, byHand, ...plain];
const MOST_CLIENTS = 32;

const levels = [
  {
    clients: 1,
    subjects: all,
    goals: [...atLeast("G6", 3, peers), ...atLeast("G6", 2, [byHand]), ...atLeast("G6", 0.92, [rawInsert])],
  },
  { clients: 8, subjects: all, goals: [] },
  {
    clients: 32,
    subjects: all,
    goals: [...atLeast("G7", 12, peers), ...atLeast("G7", 4, [byHand]), ...atLeast("G7", 1.5, [rawInsert])],
  },
  {
    clients: 128,
    subjects: [rawInsert, rawSameRow, oneCte, groupCommit, product, productOverHttp],
    goals: atLeast("G8", 4, [rawInsert]),
  },
];

function atLeast(goal, times, others) {
  return others.map(({ name }) => ({ goal, of: product.name, to: name, atLeast: times }));
}

/** G6 to G8: throughput of accepting. Every accepted operation is on disk when the call returns. */
export async function accept({ rounds, seed, seconds, withVariants }) {
  await withVariants(variants.chosen(all), async (opened) => {
    const sample = (clients) => (variant) => variant.call("accept", { clients, seconds });
    await inRounds(opened, { rounds: 1, seed }, sample(MOST_CLIENTS)); // warm-up
    for (const { clients, subjects, goals } of levels) {
      const present = opened.filter(({ name }) => subjects.some((subject) => subject.name === name));
      const samples = await inRounds(present, { rounds, seed }, sample(clients));
      printRates(`accept, ${clients} clients`, samples, rawInsert.name);
      printRateGoals(goals, samples);
    }
  });
}

import { checkVariant } from "./check.mjs";
import { sampleServer } from "./measure.mjs";
import { createConfigurationPrinter } from "./print-configurations.mjs";
import { printGoals, printTable } from "./report.mjs";
import { inRounds } from "./rounds.mjs";
import * as variants from "./variants.mjs";

const { bare, bareRetaining, byHand, byHandRetaining, express, fastify, hono, product } = variants;
const { fastifyRetaining, h3Retaining, honoRetaining, productRetaining } = variants;

const accept = [
  { goal: "G1", of: product.name, to: byHand.name, atLeast: 0.8 },
  { goal: "G1 stretch", of: product.name, to: byHand.name, atLeast: 0.9 },
  { goal: "G1", of: product.name, to: fastify.name, atLeast: 0.85 },
  { goal: "G1", of: product.name, to: hono.name, atLeast: 1.2 },
  { goal: "G1", of: product.name, to: express.name, atLeast: 7 },
  { goal: "G17", of: product.name, to: bare.name, metric: "p99Ms", atMost: 1.6 },
];

const acceptRetaining = [
  { goal: "G2", of: productRetaining.name, to: byHandRetaining.name, atLeast: 0.8 },
  { goal: "G2", of: productRetaining.name, to: express.name, atLeast: 6 },
];

const read = [
  { goal: "G3", of: productRetaining.name, to: byHandRetaining.name, atLeast: 0.8 },
  { goal: "G3", of: productRetaining.name, to: fastifyRetaining.name, atLeast: 0.85 },
  { goal: "G17", of: productRetaining.name, to: bareRetaining.name, metric: "p99Ms", atMost: 1.6 },
];

/** The benchmarks over sockets, by goal. */
export const serverBenches = {
  G1: {
    title: "G1: POST over sockets, nothing retained",
    goals: accept,
    subjects: [bare, byHand, product, fastify, hono, express],
  },
  G2: {
    title: "G2: POST over sockets, all retained in memory",
    goals: acceptRetaining,
    subjects: [bare, bareRetaining, byHandRetaining, productRetaining, express],
  },
  G3: {
    title: "G3: GET of a status over sockets",
    goals: read,
    subjects: [
      bareRetaining,
      byHandRetaining,
      productRetaining,
      fastifyRetaining,
      honoRetaining,
      h3Retaining,
      express,
    ],
    reads: true,
  },
};

const printConfigurations = createConfigurationPrinter("Over HTTP");

export async function runServerBench({ title, goals, subjects, reads }, { rounds, seconds }) {
  for (const variant of subjects) await checkVariant(variant);
  const samples = await inRounds(subjects, { rounds }, (variant) =>
    sampleServer(variant, { reads, seconds }),
  );
  printConfigurations(subjects);
  printTable(title, samples);
  printGoals(goals, samples);
}

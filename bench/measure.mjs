import { randomUUID } from "node:crypto";
import { post } from "./check.mjs";
import { startServer } from "./child.mjs";
import { load } from "./load.mjs";

/** After so long the servers here are compiled; a second is too short for those with much code. */
const WARM_UP_SECONDS = 2;

/**
 * Measures every subject once in each round, each round in another order, so that a machine that is slower for a while is
 * slower for all. Gives each name its samples, one for each round.
 */
export async function inRounds(subjects, rounds, measureOne) {
  const samples = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < subjects.length; index++) {
      const subject = subjects[(index + round) % subjects.length];
      showProgress(`round ${round + 1} of ${rounds}: ${subject.name}`);
      samples.get(subject.name).push(await measureOne(subject));
    }
  }
  showProgress("");
  return samples;
}

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}\x1b[K`);
}

/** One sample of a server that is new, warm, and under load: posting orders, or reading the status of one. */
export async function sampleServer(variant, { reads = false, seconds }) {
  const server = await startServer(variant);
  try {
    const path = reads ? await newOperation(server.origin) : undefined;
    await load(server.origin, { path, seconds: WARM_UP_SECONDS });
    const before = await server.cpuUs();
    const figures = await load(server.origin, { path, seconds });
    const cpuUs = ((await server.cpuUs()) - before) / figures.requests;
    return { cpuUs, wallUs: (figures.seconds * 1e6) / figures.requests, p99Ms: figures.p99Ms };
  } finally {
    await server.stop();
  }
}

async function newOperation(origin) {
  const response = await post(origin, randomUUID(), { itemId: "SKU-0001-BLUE", quantity: 2 });
  return response.headers.get("location");
}

/**
 * One sample of a function of this process: the CPU time of all its threads and wall time, for each call. `begin` makes the
 * function, which takes the inputs of many calls; `input` makes one of them, which costs nothing here.
 */
export async function sampleFunction({ begin, input }, milliseconds) {
  const run = begin();
  const calls = await callsIn(milliseconds, run, input);
  const inputs = Array.from({ length: calls }, input);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await run(inputs);
  const { user, system } = process.cpuUsage(before);
  return { cpuUs: (user + system) / calls, wallUs: ((performance.now() - startedAt) * 1e3) / calls };
}

/** How many calls take about so long; finding out is the warm-up. */
async function callsIn(milliseconds, run, input) {
  for (let calls = 16; ; calls *= 2) {
    const inputs = Array.from({ length: calls }, input);
    const startedAt = performance.now();
    await run(inputs);
    const tookMs = performance.now() - startedAt;
    if (tookMs > milliseconds / 2) return Math.ceil((calls * milliseconds) / tookMs);
  }
}

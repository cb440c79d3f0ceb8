import { randomUUID } from "node:crypto";
import { post } from "./check.mjs";
import { startServer } from "./child.mjs";
import { load } from "./load.mjs";

/** Long enough for every server to be compiled. One second is too short for the larger ones. */
const WARM_UP_SECONDS = 2;

/** Takes one sample of a fresh, warmed-up server under load: submitting orders, or reading the status of one. */
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
 * Takes one sample of a function in this process: wall time and the CPU time of all threads, per call. `begin` creates the
 * function, which takes the inputs of many calls. `input` creates one input and is not measured.
 */
export async function sampleFunction({ begin, input }, milliseconds) {
  const run = begin();
  await callFor(milliseconds, run, input); // warm-up
  return callFor(milliseconds, run, input);
}

/** Kept small, because the garbage collector is measured too and a heap full of inputs would slow it down. */
const INPUTS = 512;

async function callFor(milliseconds, run, input) {
  let calls = 0;
  let cpuUs = 0;
  let wallUs = 0;
  while (wallUs < milliseconds * 1e3) {
    const inputs = Array.from({ length: INPUTS }, input);
    const startedAt = performance.now();
    const before = process.cpuUsage();
    await run(inputs);
    const { user, system } = process.cpuUsage(before);
    wallUs += (performance.now() - startedAt) * 1e3;
    cpuUs += user + system;
    calls += INPUTS;
  }
  return { cpuUs: cpuUs / calls, wallUs: wallUs / calls };
}

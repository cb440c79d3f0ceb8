import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parse as parseLossless } from "lossless-json";
import { bearer, createMemoryBackend, createOrderService } from "../dist/index.js";
import { createForgetfulBackend } from "./backends/forgetful.mjs";
import { documents } from "./documents.mjs";
import { createHonoApp } from "./hono-app.mjs";
import { inRounds, sampleFunction } from "./measure.mjs";
import { printGoals, printTable } from "./report.mjs";

const SAMPLE_MS = 500;
const CALLS_PER_TURN = 32;

/** The benches that need no sockets, by goal: each gives its tables. */
export const inProcessBenches = { G4: handlers, G5: strictJson };

export async function runInProcessBench(bench, { rounds }) {
  for (const { title, subjects, goals } of await bench()) {
    const samples = await inRounds(subjects, rounds, (subject) => sampleFunction(subject, SAMPLE_MS));
    printTable(title, samples);
    printGoals(goals, samples);
  }
}

const url = "http://127.0.0.1/orders";
const body = '{"itemId":"SKU-0001-BLUE","quantity":2}';
/** The key comes in one piece, as from a socket: what `randomUUID` gives is put together on first use. */
const fields = () => ({
  authorization: "Bearer bench-token",
  accept: "application/json",
  "content-type": "application/json",
  "idempotency-key": Buffer.from(randomUUID(), "latin1").latin1Slice(),
});

async function handlers() {
  const floor = {
    name: "Request and Response floor",
    begin: () => each(async (init) => new Response(await new Request(url, init).text(), { status: 202 })),
    input: () => ({ method: "POST", headers: fields(), body }),
  };
  const plain = (name, createBackend) => ({
    name,
    begin: () => {
      const service = createOrderService({
        authorize: bearer({ "bench-token": "bench" }),
        backend: createBackend(),
      });
      return each((request) => service.handle(request));
    },
    input: () => ({ method: "POST", path: "/orders", headers: Object.entries(fields()).flat(), body }),
  });
  const forgetful = plain("handle, nothing retained", createForgetfulBackend);
  const memory = plain("handle, memory back end", createMemoryBackend);
  const hono = {
    name: "hono.fetch + zod-validator",
    begin: () => {
      const app = createHonoApp({ retain: false });
      return each((init) => app.fetch(new Request(url, init)));
    },
    input: floor.input,
  };
  const subjects = [floor, forgetful, memory, hono];
  for (const { begin, input } of subjects) assert.equal((await begin()([input()])).status, 202);
  const goals = [{ goal: "G4", of: forgetful.name, to: floor.name, atMost: 0.08 }];
  return [{ title: "G4: handlers in process", subjects, goals }];
}

/** Calls with one input after the other, and gives the last answer. The event loop gets a turn now and then, as in a server. */
function each(call) {
  return async (inputs) => {
    let answer;
    for (const [index, input] of inputs.entries()) {
      answer = await call(input);
      if (index % CALLS_PER_TURN === 0) await nextTurn();
    }
    return answer;
  };
}

async function strictJson() {
  const parseStrict = await bundledParser();
  return documents.map(({ size, text }) => {
    const subject = (name, parse) => ({
      name,
      // Not `each`: waiting for each answer would cost as much as a short parse.
      begin: () => (texts) => {
        for (const one of texts) parse(one);
      },
      input: () => text,
    });
    const native = subject("JSON.parse", (one) => JSON.parse(one));
    const strict = subject("strict parser", (one) => parseStrict(one, { maxDepth: 32 }));
    const lossless = subject("lossless-json", (one) => parseLossless(one));
    assert.deepEqual(parseStrict(text, { maxDepth: 32 }), JSON.parse(text));
    const goals = [
      { goal: "G5", of: strict.name, to: lossless.name, atLeast: 1.8 },
      { goal: "G5", of: strict.name, to: native.name, atMost: 2 },
    ];
    return { title: `G5: strict JSON, ${size}`, subjects: [native, strict, lossless], goals };
  });
}

/** The parser is not exported: it is bundled from its source. */
async function bundledParser() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../src/formats/strict-json.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "node20",
    write: false,
  });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  const { parseStrictJson } = await import(`data:text/javascript;base64,${source}`);
  return parseStrictJson;
}

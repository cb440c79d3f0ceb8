// One process of the random driver. It submits, cancels, redrives, pauses and works at random, and writes what it does and
// learns to a file at once, so that the file outlives a SIGKILL.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createService, createWorker, permanentFailure, retryLater, withQueue } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { openQueue } from "../faults/open-queue.mjs";
import { kinds, tenants, toDefinitions } from "./kinds.mjs";
import { openPostgresStore } from "./postgres-store.mjs";
import { openSqliteStore } from "./sqlite-store.mjs";

const { name, url, queueUrl, ledger, seed, role, listen, keys, clockOrigin } = JSON.parse(process.argv[2]);

const file = openSync(ledger, "a");
const now = () => clockOrigin + Number(process.hrtime.bigint()) / 1e6;
const write = (line) => writeSync(file, `${JSON.stringify({ at: now(), process: name, ...line })}\n`);

let state = seed;
/** Mulberry32, as in test/support/random.ts, which this program cannot import. */
function below(bound) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
}
const pick = (choices) => choices[below(choices.length)];

const store = (url.startsWith("sqlite:") ? openSqliteStore : openPostgresStore)(url, { listen });
const queue = queueUrl && (await openQueue(queueUrl));
const backend = queue ? withQueue(store.backend, queue) : store.backend;
const { operations } = backend;
const claim = operations.claim.bind(operations);
/** When the claims were sent that took the leases, by operation. */
const leasedAt = new Map();
/** Says whether a claim has filled all slots that were free when it was sent. */
operations.claim = async (request) => {
  const at = now();
  const claimed = await claim(request);
  for (const { operation } of claimed.begun) leasedAt.set(operation.id, at);
  if (request.operationId === undefined)
    write({ what: "claimed", full: claimed.begun.length >= request.limit });
  return claimed;
};
const renew = operations.renew.bind(operations);
/** A store that is slow for longer than a lease loses it, without a fault of anyone. */
operations.renew = async (lease, change) => {
  const at = now();
  const result = await renew(lease, change);
  if (result.outcome === "renewed" && change.leaseMs !== undefined)
    write({ what: "renewed", operationId: lease.operationId, leasedAt: at });
  return result;
};
const definitions = toDefinitions();
const definitionOf = Object.fromEntries(definitions.map((definition) => [definition.name, definition]));

/** Ids of failed operations that this process has seen. */
const failed = [];
const observe = (event) => {
  if (event.event === "background.failed") return;
  const { event: what, operationId, definition, attempt, delayMs, retryOf } = event;
  if (what === "operation.failed") failed.push(operationId);
  if (what.startsWith("operation.") || what === "attempt.lost")
    write({ what, operationId, definition, attempt, delayMs, retryOf });
};

/** Creates a resource, sometimes slowly or in vain. */
async function create({ workMs }, { operationId }) {
  await sleep(workMs % 50);
  if (below(5) === 0) throw new Error("simulated");
  return { body: { id: operationId } };
}

const service = createService({
  definitions,
  backend,
  observe,
  create: { created: create },
});
const operator = createOperator({ definitions, backend, observe });

/** Works for a while, and ends as the input says. */
async function work({ workMs, failures, ending }, job) {
  const { operationId, attempt, signal } = job;
  const left = () => write({ what: "left", operationId, attempt });
  write({ what: "begun", operationId, attempt, leasedAt: leasedAt.get(operationId) });
  // An attempt that is aborted may be released before its function has ended.
  signal.addEventListener("abort", left, { once: true });
  try {
    await sleep(workMs, undefined, { signal });
    if (attempt <= failures) throw new Error("simulated");
    if (ending === "permanent") throw permanentFailure("simulated");
    if (ending === "later" && attempt === 1) throw retryLater({ afterMs: 500 });
    if (ending === "release" && below(3) > 0) job.release({ afterMs: 1_000 });
    // Its place is free from the commit on.
    if (ending === "transaction") return await job.transaction(store.work(below(200), left));
    return { done: true };
  } finally {
    left();
  }
}

const worker = createWorker(service, Object.fromEntries(definitions.map(({ name }) => [name, work])), {
  concurrency: 12,
  leaseMs: 1_500,
  backoff: { baseMs: 50, maxMs: 1_000 },
  maxAttempts: 50,
  drainTimeoutMs: 1_000,
});

/** Returns what one submission asks for. With a `number`, always the same. */
function newWork(number) {
  const draw = number === undefined ? below : (bound) => (Math.imul(number, 0x9e3779b1) >>> 8) % bound;
  const kind = Object.keys(kinds)[draw(Object.keys(kinds).length)];
  const tenant = tenants[Math.min(draw(7), tenants.length - 1)];
  const lane = kinds[kind].lanes && String(draw(kinds[kind].lanes));
  const workMs = draw(10) === 0 ? 400 + draw(600) : draw(60);
  const failures = draw(6) === 0 ? 1 + draw(2) : 0;
  const ending = ["ok", "ok", "ok", "ok", "permanent", "later", "release", "transaction"][draw(8)];
  return { kind, tenant, input: { lane, workMs, failures, ending } };
}

function newOptions({ kind, tenant }, key) {
  const delayMs = below(4) === 0 && !kinds[kind].creates ? below(3_000) : 0;
  return {
    tenant,
    ...(delayMs > 0 && { delayMs }),
    ...(below(5) === 0 && { urgency: below(8) }),
    ...(key !== undefined && { key }),
  };
}

/** Submissions of this process, the newest last. */
const recent = [];
let submission = 0;

/** Writes the submission down before it is sent, and its outcome after it. */
async function recording(wanted, submit) {
  submission += 1;
  const number = `${name}-${submission}`;
  write({ what: "sent", submission: number });
  const outcomes = await submit();
  for (const [index, { kind, tenant, input, options }] of wanted.entries()) {
    const { operationId, replayed } = outcomes[index];
    const { key, delayMs = 0 } = options;
    recent.push({ operationId, kind, tenant });
    write({
      what: "recorded",
      submission: number,
      operationId,
      replayed,
      kind,
      tenant,
      lane: input.lane,
      key,
      delayMs,
    });
  }
}

const newSubmission = () => {
  // Some keys are used by all processes.
  const number = below(4) === 0 ? below(keys) : undefined;
  const work = newWork(number);
  return { ...work, options: newOptions(work, number === undefined ? undefined : `key-${number}`) };
};

const actions = {
  submit: async () => {
    const wanted = newSubmission();
    const { kind, input, options } = wanted;
    await recording([wanted], async () => [await service.submit(definitionOf[kind], input, options)]);
  },
  submitMany: async () => {
    const { kind, tenant } = newWork();
    if (kinds[kind].creates) return;
    const wanted = Array.from({ length: 2 + below(20) }, () => {
      const { input } = newWork();
      const lane = kinds[kind].lanes && String(below(kinds[kind].lanes));
      return { kind, tenant, input: { ...input, lane }, options: {} };
    });
    await recording(wanted, () => {
      const items = wanted.map(({ input }) => ({ input }));
      return service.submitMany(definitionOf[kind], items, { tenant });
    });
  },
  submitInTransaction: async () => {
    // A definition that creates a resource before the reply records alone, and at once.
    const all = Array.from({ length: 1 + below(3) }, newSubmission).filter(({ kind }) => kind !== "created");
    const wanted = all.filter(({ options }) => options.key === undefined);
    const commits = below(3) > 0;
    const ids = [];
    const submissions = wanted.map(({ kind, input, options }) => [definitionOf[kind], input, options]);
    await recording(commits ? wanted : [], async () => {
      const outcomes = await store.transaction(service, submissions, { commits, holdMs: below(400) });
      ids.push(...outcomes.map(({ operationId }) => operationId));
      return outcomes;
    });
    if (!commits) for (const operationId of ids) write({ what: "rolled back", operationId });
  },
  cancel: async () => {
    const submitted = pick(recent.slice(-50));
    if (submitted === undefined) return;
    const { operationId, kind, tenant } = submitted;
    const { outcome } = await service.cancel(definitionOf[kind], operationId, { tenant });
    write({ what: "cancelled", operationId, outcome });
  },
  redrive: async () => {
    const operationId = pick(failed.slice(-20));
    if (operationId === undefined) return;
    const result = await operator.redrive(operationId);
    write({
      what: "redriven",
      operationId: result.operation?.operationId,
      retryOf: operationId,
      outcome: result.outcome,
    });
  },
  pause: async () => {
    const kind = pick(Object.keys(kinds));
    write({ what: "pausing", kind });
    await operator.pause(kind);
    await sleep(below(2_000));
    await operator.resume(kind);
    write({ what: "resumed", kind });
  },
};

const wheel = Object.entries({
  submit: 60,
  submitMany: 6,
  submitInTransaction: 12,
  cancel: 12,
  redrive: 8,
  pause: 1,
}).flatMap(([action, weight]) => Array(weight).fill(action));

let acting = true;
let stopping = false;

async function act() {
  while (acting && !stopping) {
    await sleep(below(120));
    // The store may be down, or a submission refused.
    await actions[pick(wheel)]().catch((error) => write({ what: "error", error: String(error) }));
  }
}

/** Works like a function that is called again and again. */
async function workInRuns() {
  while (!stopping) {
    await worker.runFor({ maxMs: 1_000 }).catch(() => {});
    await sleep(200);
  }
}

/** Ends every pause, also those of processes that were killed. */
async function resumeAll() {
  for (const kind of Object.keys(kinds)) {
    // The store may be down.
    while (
      !(await operator.resume(kind).then(
        () => true,
        () => false,
      ))
    )
      await sleep(200);
    write({ what: "resumed", kind });
  }
}

/** Tells when this process could not run. Its leases may have ended then. */
function watchLag() {
  let last = now();
  setInterval(() => {
    const at = now();
    if (at - last > 400) write({ what: "lag", since: last });
    last = at;
  }, 100).unref();
}

process.on("message", async (message) => {
  if (message === "quiet") {
    acting = false;
    await acts;
    await resumeAll();
    write({ what: "quiet" });
    process.send("quiet");
  } else if (message === "stop") {
    stopping = true;
    write({ what: "stopping" });
    await Promise.all([acts, runs, worker.stop()]);
    await service.close();
    await queue?.close();
    await store.close();
    process.disconnect();
  }
});
process.on("disconnect", () => stopping || process.exit(1));

watchLag();
if (role === "worker") await worker.start();
write({ what: "started", role });
const acts = Promise.all([act(), act(), act()]);
const runs = role === "function" && workInRuns();
process.send("started");

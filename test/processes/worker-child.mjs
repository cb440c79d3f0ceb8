// A worker process whose store and queue live in its parent, so that they survive when it is killed.
import { createWorker, defineOrders } from "async-request-reply";
import { behaviors } from "../faults/behaviors.mjs";

const waiting = new Map();
let lastCall = 0;

process.on("message", ({ call, result, error }) => {
  const { resolve, reject } = waiting.get(call);
  waiting.delete(call);
  if (error === undefined) resolve(result);
  else reject(new Error(error));
});

function ask(port, method, args) {
  const call = ++lastCall;
  process.send({ call, port, method, args });
  return new Promise((resolve, reject) => waiting.set(call, { resolve, reject }));
}

const remote = (port, methods) =>
  Object.fromEntries(methods.map((method) => [method, (...args) => ask(port, method, args)]));

const POLL_MS = 20;

const queue = {
  publish: async () => {},
  listen: ({ onRing }) => {
    const timer = setInterval(onRing, POLL_MS);
    return { want: () => {}, close: async () => clearInterval(timer) };
  },
  close: async () => {},
};

const backend = {
  operations: {
    keeps: ["deadlines", "lanes", "limits"],
    ...remote("operations", [
      ...["create", "get", "claim", "renew", "settle", "requestCancel", "endOverdue"],
      ...["getMany", "list", "stats", "countPending", "redrive", "pause", "resume"],
    ]),
  },
  submissions: remote("submissions", ["record", "recordMany", "findKey", "purge"]),
  queue,
  check: async () => {},
  close: async () => {},
};

const worker = createWorker(
  { definitions: [defineOrders()], backend, observe: (event) => process.send({ event }) },
  {
    orders: async ({ itemId }, job) => {
      process.send({ effect: job.operationId, attempt: job.attempt });
      // A bigint result, which JSON cannot represent.
      return itemId === "garbage" ? 1n : behaviors[itemId]?.(job);
    },
  },
  {
    leaseMs: 1_500,
    sweepIntervalMs: 100,
    backoff: { baseMs: 50, maxMs: 200 },
    maxAttempts: 5,
    concurrency: 4,
    drainTimeoutMs: 300,
  },
);

process.on("SIGTERM", () => worker.stop().then(() => process.exit(0)));
process.on("disconnect", () => process.exit(0));
await worker.start();
process.send({ ready: true });

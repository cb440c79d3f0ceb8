import assert from "node:assert/strict";
import { createMemoryBackend } from "../dist/index.js";
import { printRows } from "./report.mjs";

const SIZES = [1_000, 10_000, 100_000];
const TENANTS = 10_000;
const CALLS = 100;

/** How long the event loop is blocked by calls of the memory back end, with more and more waiting operations of many tenants. */
export async function printGrowth() {
  const rows = [];
  for (const size of SIZES) rows.push([String(size), ...(await measure(size))]);
  console.log(
    `\ngrowth: ms per call in memory beside waiting operations of ${TENANTS} tenants, first call / later ones`,
  );
  printRows([["operations", ...Object.keys(CALLS_OF)], ...rows]);
}

async function measure(size) {
  const { operations } = createMemoryBackend();
  for (let index = 0; index < size; index++) await operations.create(operation(index));
  const cells = [];
  for (const call of Object.values(CALLS_OF)) {
    const first = await timeOf(() => call(operations));
    const later = await timeOf(async () => {
      for (let index = 0; index < CALLS; index++) await call(operations);
    });
    cells.push(`${first.toFixed(2)} / ${(later / CALLS).toFixed(3)}`);
  }
  return cells;
}

let tokens = 0;

async function claim(operations, limits, slots) {
  const definition = { name: "jobs", slots, leaseMs: 3_600_000, suspects: slots, limits };
  const { begun } = await operations.claim({
    token: `t${++tokens}`,
    limit: slots,
    definitions: [definition],
  });
  for (const {
    operation: { id },
  } of begun)
    await settle(operations, id, `t${tokens}`);
  assert.equal(begun.length, slots);
}

/** Gives the operation back, so that the next call finds as much work. */
const settle = (operations, operationId, token) =>
  operations.settle({ operationId, token }, { to: "retry", delayMs: 0, countAttempt: false, started: false });

const CALLS_OF = {
  "count of a tenant": (operations) =>
    operations.countPending([{ definition: "jobs", tenant: "t5", most: 100 }]),
  "list of a tenant": (operations) => operations.list({ tenant: "t5", limit: 50 }),
  "list of all": (operations) => operations.list({ limit: 50 }),
  "claim of 10, running: 500": (operations) => claim(operations, { running: 500 }, 10),
  "claim of 10, one per tenant": (operations) => claim(operations, { runningPerTenant: 1 }, 10),
};

function operation(index) {
  const id = `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`;
  return { id, tenant: `t${index % TENANTS}`, definition: "jobs", input: "1", retentionMs: 86_400_000 };
}

async function timeOf(call) {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

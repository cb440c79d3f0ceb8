// Posts orders and runs them, in memory, with two builds of the package in turns of a few milliseconds. A machine that becomes
// slower therefore slows down all variants.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const WARM_UP_TURNS = 40;
const TURNS = 200;
const ORDERS = 256;

const [baseline, own] = process.argv.slice(2);
const load = (root) => import(pathToFileURL(join(root, "dist/index.js")).href);
const variants = [
  { name: "baseline", build: await load(baseline) },
  { name: "this version, without subscribers", build: await load(own) },
];

const headers = {
  "content-type": "application/json",
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
};
const request = { method: "POST", path: "/orders", headers, body: '{"itemId":"SKU-0001-BLUE","quantity":2}' };

/** Returns the CPU time per order. Microseconds. */
async function takeTurn({ build }) {
  const { allowAnonymous, createMemoryBackend, createOrderService, createWorker } = build;
  const backend = createMemoryBackend();
  const service = createOrderService({ backend, authorize: allowAnonymous(), observe: false });
  const worker = createWorker(service, { orders: () => {} });
  const before = process.cpuUsage();
  for (let order = 0; order < ORDERS; order += 1) await service.handle(request);
  await worker.runUntilIdle();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / ORDERS;
}

const turns = [];
for (let turn = -WARM_UP_TURNS; turn < TURNS; turn += 1) {
  const cpuUs = {};
  // Each turn starts with another variant, because the garbage collector favors a place in the row.
  for (const index of variants.keys()) {
    const variant = variants[(index + turn + WARM_UP_TURNS) % variants.length];
    cpuUs[variant.name] = await takeTurn(variant);
  }
  if (turn >= 0) turns.push(cpuUs);
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const measured = variants.map(({ name }) => [
  name,
  {
    cpuUs: median(turns.map((cpuUs) => cpuUs[name])),
    ratio: median(turns.map((cpuUs) => cpuUs[name] / cpuUs.baseline)),
  },
]);
process.send(Object.fromEntries(measured));
process.disconnect();

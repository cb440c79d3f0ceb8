import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { allowAnonymous, createMemoryBackend, createOrderService, createWorker } from "../dist/index.js";
import { newOrder } from "./postgres/inside/orders.mjs";
import { toRequest } from "./postgres/variants/order-service.mjs";
import { printRows } from "./report.mjs";

const OPERATIONS = 200_000;
/** Fewer than the queue holds, so that the worker does not depend on the sweep. */
const BATCH = 10_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** How much memory finished operations with keys, small inputs and small results take in the memory back end. */
export async function printMemory() {
  const service = createOrderService({
    backend: createMemoryBackend(),
    authorize: allowAnonymous(),
    observe: false,
  });
  const worker = createWorker(service, { orders: () => ({ parcel: "1Z-12345" }) }, { concurrency: 128 });
  const before = heapUsed();
  for (let done = 0; done < OPERATIONS; done += BATCH) await submitAndRun(service, worker);
  const bytes = (heapUsed() - before) / OPERATIONS;
  await service.close();
  console.log(`\nmemory: ${OPERATIONS} finished operations in the memory back end`);
  printRows([
    ["bytes of heap per operation", "GB per million"],
    [bytes.toFixed(0), (bytes / 1e3).toFixed(2)],
  ]);
}

async function submitAndRun(service, worker) {
  for (let submitted = 0; submitted < BATCH; submitted++) {
    const { status } = await service.handle(toRequest(newOrder()));
    assert.equal(status, 202);
  }
  await worker.runUntilIdle();
}

function heapUsed() {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

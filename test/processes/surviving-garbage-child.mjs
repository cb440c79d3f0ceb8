// Prints how many bytes of garbage survive young collections, per request or attempt, as JSON. Such bytes stay until the next
// full collection, and every young collection has to copy them first. Argument: one of the loads below.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { allowAnonymous, createMemoryBackend, createOrderService, createWorker } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { toNodeHandler } from "async-request-reply/node";

const WARM_UP = 4_000;
const MEASURED = 20_000;
/** A part is short, so that no full collection starts in the middle of it. */
const PART = 2_000;

const order = '{"itemId":"SKU-0001-BLUE","quantity":2}';
const headers = { "content-type": "application/json", "idempotency-key": "the-only-key" };

const service = createOrderService({
  backend: createMemoryBackend(),
  authorize: allowAnonymous(),
  observe: false,
});

/** Each function runs a load of `count`. Every POST has the same key, so that the store retains nothing. */
const loads = {
  node: async () => {
    const server = createServer(toNodeHandler(service)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const message = `POST /orders HTTP/1.1\r\nHost: a\r\n${fields.join("")}Content-Length: ${order.length}\r\n\r\n${order}`;
    const socket = connect(server.address().port, "127.0.0.1").setEncoding("latin1");
    return async (count) => {
      for (let sent = 0; sent < count; sent += 1) {
        socket.write(message);
        const [reply] = await once(socket, "data");
        if (!reply.startsWith("HTTP/1.1 202 ")) throw new Error(reply);
      }
    };
  },
  fetch: () => {
    const handle = toFetchHandler(service);
    return async (count) => {
      for (let sent = 0; sent < count; sent += 1) {
        const { status } = await handle(
          new Request("http://a/orders", { method: "POST", headers, body: order }),
        );
        if (status !== 202) throw new Error(`The reply is ${status}.`);
        if (sent % 32 === 0) await nextTurn();
      }
    };
  },
  attempts: () => {
    const worker = createWorker(service, { orders: () => {} });
    let key = 0;
    return async (count) => {
      for (let submitted = 1; submitted <= count; submitted += 1) {
        key += 1;
        const fields = { ...headers, "idempotency-key": `key-${key}` };
        await service.handle({ method: "POST", path: "/orders", headers: fields, body: order });
        if (submitted % 50 === 0) await worker.runUntilIdle();
      }
    };
  },
};

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

let young = 0;
const count = (entries) => {
  young += entries.filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MINOR).length;
};
const observer = new PerformanceObserver((list) => count(list.getEntries()));
observer.observe({ entryTypes: ["gc"] });

/** Bytes of all spaces that young collections promote to. */
function oldBytes() {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith("new_"))
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}

const run = await loads[process.argv[2]]();
await run(WARM_UP);
let survived = 0;
for (let done = 0; done < MEASURED; done += PART) {
  await run(PART);
  const promoted = oldBytes();
  collectGarbage();
  survived += promoted - oldBytes();
}
// The memory back end never waits, so the observer might have had no turn.
await nextTurn();
count(observer.takeRecords());
console.log(JSON.stringify({ bytes: survived / MEASURED, young }));
process.exit();

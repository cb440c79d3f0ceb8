// The process under test. It answers messages of its parent: { create: n }, { end: true }, { measure: true }.
import { createServer } from "node:http";
import { allowAnonymous, createMemoryBackend, createOrderService } from "../../dist/index.js";
import { toNodeHandler } from "../../dist/node.js";

const TENANT = "anonymous";
const LONG_MS = 600_000;

const memory = createMemoryBackend();
const reads = { get: 0, getMany: 0 };
const operations = new Proxy(memory.operations, {
  get: (target, name) => {
    const member = Reflect.get(target, name);
    if (typeof member !== "function") return member;
    return (...args) => {
      if (name in reads) reads[name]++;
      return member.apply(target, args);
    };
  },
});
const service = createOrderService({
  authorize: allowAnonymous(),
  backend: { ...memory, operations },
  maxWaitMs: LONG_MS,
  maxStreamMs: LONG_MS,
  // A tenant gets at most as many places as there are free ones.
  maxWaiters: 50_000,
});
let sockets = 0;
const server = createServer({ keepAliveTimeout: LONG_MS }, toNodeHandler(service));
server.on("connection", (socket) => {
  sockets++;
  socket.on("close", () => sockets--);
});
server.listen(0, "127.0.0.1", 4_096, () => process.send({ port: server.address().port }));

let ids = [];
let cpuAtEnd;
const handlers = {
  create: async (count) => {
    ids = [];
    for (let made = 0; made < count; made++) {
      const order = { itemId: "SKU-0001-BLUE", quantity: 2 };
      ids.push((await service.submit(service.definitions[0], order, { tenant: TENANT })).operationId);
    }
    return { ids };
  },
  end: async () => {
    reads.get = reads.getMany = 0;
    const cpu = process.cpuUsage();
    const beganAt = Date.now();
    for (const id of ids) await memory.operations.requestCancel(id, TENANT);
    cpuAtEnd = cpu;
    return { beganAt, endedAt: Date.now() };
  },
  cpu: async () => {
    const { user, system } = process.cpuUsage(cpuAtEnd);
    return { cpuMs: (user + system) / 1_000 };
  },
  measure: async () => {
    globalThis.gc();
    globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { sockets, reads: { ...reads }, rss, heap: heapUsed + external };
  },
};

process.on("message", async (message) => {
  const [[name, value]] = Object.entries(message);
  process.send(await handlers[name](value));
});
process.on("disconnect", () => process.exit());

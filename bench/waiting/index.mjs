// Waiting requests and streams on one process, over real sockets: `npm run bench:waiting`. Prints how fast the end of the work
// reaches all of them, how often the store is read, and how much memory each takes. The goal is 1 s after the last end. Each of the
// two processes needs 10,100 open files.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const WAIT = { name: "waiting requests", fields: "Prefer: wait=600\r\n" };
const STREAM = { name: "streams", fields: "Accept: text/event-stream\r\n", until: '"status":"pending"' };

const runs = [
  { kind: WAIT, count: 10_000, operations: 10_000 },
  { kind: WAIT, count: 10_000, operations: 1 },
  { kind: STREAM, count: 2_000, operations: 2_000 },
  { kind: STREAM, count: 2_000, operations: 1 },
];

const rows = [];
for (const run of runs) rows.push(await measure(run));
console.table(rows);

async function measure({ kind, count, operations }) {
  const server = start("server.mjs");
  const [{ port }] = await once(server.process, "message");
  const client = start("client.mjs");
  const { ids } = await server.ask({ create: operations });
  await client.ask({ open: { port, count } });
  // An idle connection that has served a request, so that only the wait itself is counted.
  await client.ask({ ask: { ids, fields: "", until: '"status":"pending"' } });
  const idle = await server.ask({ measure: true });
  await client.ask({ ask: { ids, ...kind } });
  await until(async () => (await server.ask({ measure: true })).reads.get >= idle.reads.get + count);
  const waiting = await server.ask({ measure: true });
  await client.ask({ listen: true });
  const { beganAt, endedAt } = await server.ask({ end: true });
  const { times } = await client.ask({ ended: true });
  const { cpuMs } = await server.ask({ cpu: true });
  const { reads } = await server.ask({ measure: true });
  const row = {
    what: kind.name,
    count,
    operations,
    "ending all, ms": endedAt - beganAt,
    "all released, ms": Math.max(...times) - endedAt,
    "CPU of the server, ms": Math.round(cpuMs),
    "reads of the store": reads.get + reads.getMany,
    "heap each, KB": perOne(waiting.heap - idle.heap, count),
    "RSS each, KB": perOne(waiting.rss - idle.rss, count),
    "connections left after all vanished": await leftAfterVanishing({ server, client, kind }),
  };
  for (const { process: child } of [server, client]) child.disconnect();
  return row;
}

/** Lets new clients wait and break off. Returns the number of connections that the server still has. */
async function leftAfterVanishing({ server, client, kind }) {
  const { ids } = await server.ask({ create: 1 });
  await client.ask({ ask: { ids, ...kind } });
  await client.ask({ vanish: true });
  await until(async () => (await server.ask({ measure: true })).sockets === 0, 10_000);
  return (await server.ask({ measure: true })).sockets;
}

function perOne(bytes, count) {
  return Number((bytes / count / 1024).toFixed(1));
}

async function until(holds, limitMs = 60_000) {
  for (let waited = 0; waited < limitMs; waited += 100) {
    if (await holds()) return;
    await sleep(100);
  }
}

function start(script) {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), { execArgv: ["--expose-gc"] });
  return {
    process: child,
    ask: async (message) => {
      child.send(message);
      return (await once(child, "message"))[0];
    },
  };
}

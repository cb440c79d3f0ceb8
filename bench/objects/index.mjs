// Operations in Durable Objects on workerd beside SQLite on Node, over sockets and with one machine for server and client:
// `npm run bench:objects`. BENCH_ROUNDS (5) is the number of rounds, in which both take turns. Needs `npm ci --prefix test/runtimes`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { median, spread } from "../report.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CLIENTS = 32;
const PER_TENANT_GROUP = 2_000;
const SINGLE = 200;
const here = import.meta.dirname;
const { arch } = process;
const workerd = join(
  here,
  `../../test/runtimes/node_modules/@cloudflare/workerd-linux-${arch === "x64" ? "64" : arch}/bin/workerd`,
);

const contenders = {
  objects: (folder) => {
    copyFileSync(join(here, "../../examples/durable-objects/config.capnp"), join(folder, "config.capnp"));
    cpSync(bundle, join(folder, "dist"), { recursive: true });
    mkdirSync(join(folder, "state"));
    const args = [
      "serve",
      "config.capnp",
      "--socket-addr=http=127.0.0.1:0",
      "--socket-addr=console=127.0.0.1:0",
      "--control-fd=1",
    ];
    return spawn(workerd, args, { cwd: folder });
  },
  "SQLite on Node": (folder) =>
    spawn(process.execPath, [join(here, "node-server.mjs"), join(folder, "operations.db")]),
};

const bundle = mkdtempSync(join(tmpdir(), "bench-objects-"));
const { outputFiles } = await build({
  // The configuration has the console of the example too.
  entryPoints: {
    worker: join(here, "worker.mjs"),
    console: join(here, "../../examples/durable-objects/console.ts"),
  },
  bundle: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  tsconfigRaw: {},
  logLevel: "error",
  conditions: ["workerd", "worker", "browser"],
  outdir: bundle,
  write: false,
});
for (const { path, contents } of outputFiles) writeFileSync(path, contents);
const [{ contents }] = outputFiles;
console.log(
  `Bundle: ${Math.round(contents.length / 1_000)} KB minified, ${Math.round(gzipSync(contents).length / 1_000)} KB compressed`,
);

const rows = new Map();
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, start] of Object.entries(contenders))
    for (const [what, value] of Object.entries(await measure(start))) {
      const values = rows.get(what) ?? rows.set(what, new Map()).get(what);
      values.set(name, [...(values.get(name) ?? []), value]);
    }
console.table(
  Object.fromEntries(
    [...rows].map(([what, values]) => {
      const [objects, node] = Object.keys(contenders).map((name) => values.get(name));
      const ratios = objects.map((value, round) => value / node[round]);
      return [what, { objects: shown(objects), "SQLite on Node": shown(node), ratio: spread(ratios) }];
    }),
  ),
);
rmSync(bundle, { recursive: true });

async function measure(start) {
  const folder = mkdtempSync(join(tmpdir(), "bench-objects-"));
  const server = start(folder);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  try {
    const port = await portOf(server);
    const call = caller(port, agent);
    await accept(call, { tenants: 1, count: 200, prefix: "warm" });
    return {
      ...(await throughput(call, { tenants: 1, prefix: "one" })),
      ...(await throughput(call, { tenants: 50, prefix: "many" })),
      ...(await latency(call)),
    };
  } finally {
    agent.destroy();
    server.kill("SIGKILL");
    await once(server, "exit");
    rmSync(folder, { recursive: true });
  }
}

async function throughput(call, { tenants, prefix }) {
  const since = performance.now();
  const accepted = await accept(call, { tenants, count: PER_TENANT_GROUP, prefix });
  const acceptedAt = performance.now();
  await inParallel(accepted, ({ tenant, location }) => untilCompleted(call, tenant, location));
  const of = `of ${tenants === 1 ? "one tenant" : `${tenants} tenants`}, a second`;
  return {
    [`accepted ${of}`]: (1_000 * accepted.length) / (acceptedAt - since),
    [`accepted and completed ${of}`]: (1_000 * accepted.length) / (performance.now() - since),
  };
}

async function latency(call) {
  const posts = [];
  const starts = [];
  for (let index = 0; index < SINGLE; index += 1) {
    const sentAt = performance.now();
    const { location } = await submit(call, "single", `single-${index}`);
    posts.push(performance.now() - sentAt);
    const { createdAt, result } = await untilCompleted(call, "single", location);
    starts.push(result.startedAt - Date.parse(createdAt));
  }
  return { "POST, ms (p50)": median(posts), "202 to start, ms (p50)": median(starts) };
}

async function accept(call, { tenants, count, prefix }) {
  const items = Array.from({ length: count }, (_, index) => ({
    tenant: `${prefix}-${index % tenants}`,
    item: `${prefix}-${index}`,
  }));
  return inParallel(items, async ({ tenant, item }) => ({ tenant, ...(await submit(call, tenant, item)) }));
}

async function submit(call, tenant, item) {
  const headers = { "content-type": "application/json", "idempotency-key": item };
  const reply = await call("POST", "/measured", { "x-tenant": tenant, ...headers }, JSON.stringify({ item }));
  if (reply.status !== 202) throw new Error(`POST was answered with ${reply.status}: ${reply.body}`);
  return { location: reply.headers.location };
}

async function untilCompleted(call, tenant, location) {
  for (;;) {
    const operation = JSON.parse((await call("GET", location, { "x-tenant": tenant })).body);
    if (operation.status === "completed") return operation;
    await sleep(2);
  }
}

/** Runs the steps of all clients, and resolves to their results. */
async function inParallel(items, step) {
  const results = [];
  const left = items.entries();
  const client = async () => {
    for (const [index, item] of left) results[index] = await step(item);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return results;
}

function caller(port, agent) {
  return (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", method, path, headers, agent }, (reply) => {
        let text = "";
        reply.setEncoding("utf8");
        reply.on("data", (part) => {
          text += part;
        });
        reply.on("end", () => resolve({ status: reply.statusCode, headers: reply.headers, body: text }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
}

async function portOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const { port, socket = "http" } = JSON.parse(line);
    if (port !== undefined && socket === "http") return port;
  }
  throw new Error("The server has not said its port.");
}

function shown(values) {
  return median(values).toPrecision(3);
}

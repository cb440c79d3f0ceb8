import { type Backend, bearer, createOrderService, createWorker, type Observer } from "async-request-reply";
import { closeServer } from "async-request-reply/node";
import { type OpenApiInfo, withOpenApi } from "async-request-reply/openapi";
import { xmlFormat } from "async-request-reply/xml";
import { yamlFormat } from "async-request-reply/yaml";
import { orderYangFormats } from "async-request-reply/yang";
import { checkBackend } from "./check-backend.js";
import { type Configuration, readConfiguration } from "./configuration.js";
import { openDemo } from "./demo/open-demo.js";
import { listen } from "./listen.js";
import { createLog } from "./log.js";
import { mountConsole } from "./mount-console.js";
import { onSignal } from "./on-signal.js";
import { StartError } from "./start-error.js";
import { createShipping } from "./work.js";

/** How long requests and attempts may continue after a signal to stop. */
const graceMs = 10_000;

/** General information in `/openapi.json`. */
const info: OpenApiInfo = {
  title: "Orders",
  version: "1.0.0",
  description: "Accepts orders and replies before they are shipped.",
  license: { name: "MIT", identifier: "MIT" },
};

try {
  await start(readConfiguration(process.env));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function start(configuration: Configuration): Promise<void> {
  const { role, tokens } = configuration;
  const log = createLog(configuration.log);
  const backend = await configuration.openBackend();
  await checkBackend(backend);
  const { observe } = log;
  const demo = configuration.demo ? openDemo({ backend, tokens, drainTimeoutMs: graceMs }) : undefined;
  const { service, worker } = demo ?? openOrders(configuration, backend, observe);
  const { handler, loginAt, close } = mountConsole(configuration.console, service, observe);
  const server = role === "worker" ? undefined : await listen(handler, configuration);
  if (role !== "api") await worker.start();

  onSignal(async (signal) => {
    demo?.end();
    void close?.();
    const stopped = server === undefined ? service.close() : closeServer(server.http, service, { graceMs });
    log.notice(`${signal}: finishing requests and attempts; a second signal ends the process at once`);
    await stopped;
    // Now nothing keeps the process alive, so it ends with exit code 0.
  });
  log.notice(server === undefined ? "working" : `listening on ${server.url}`);
  if (server !== undefined && loginAt !== undefined) log.notice(loginAt(server.url));
  demo?.begin();
}

/** Opens the order service and its worker. */
function openOrders(configuration: Configuration, backend: Backend, observe: Observer) {
  const { tokens, leaseMs } = configuration;
  const formats = [yamlFormat, xmlFormat, ...orderYangFormats];
  const orders = createOrderService({ backend, authorize: bearer(tokens), formats, observe });
  const service = withOpenApi(orders, { info });
  const processors = { orders: createShipping(configuration) };
  const worker = createWorker(service, processors, { leaseMs, drainTimeoutMs: graceMs });
  return { service, worker };
}

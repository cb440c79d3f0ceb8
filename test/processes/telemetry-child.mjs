// A process that accepts orders, runs them and delivers webhooks, or receives webhooks. It keeps its spans in memory, and
// sends them when it is asked.
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { startTelemetry } from "async-request-reply/opentelemetry";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createWebhooks } from "async-request-reply/webhooks";
import pg from "pg";

const load = createRequire(new URL("../opentelemetry/package.json", import.meta.url));
const api = load("@opentelemetry/api");
const { AsyncLocalStorageContextManager } = load("@opentelemetry/context-async-hooks");
const { W3CTraceContextPropagator } = load("@opentelemetry/core");
const sdk = load("@opentelemetry/sdk-trace-base");

const [role, relation, connectionString, schema, url = "http://127.0.0.1"] = process.argv.slice(2);

const exporter = new sdk.InMemorySpanExporter();
const spanProcessors = [new sdk.SimpleSpanProcessor(exporter)];
api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
api.trace.setGlobalTracerProvider(new sdk.BasicTracerProvider({ spanProcessors }));
const tracer = api.trace.getTracer("test");
startTelemetry({ api, relation });

function toPlain(span) {
  const { traceId, spanId } = span.spanContext();
  const links = span.links.map(({ context }) => `${context.traceId} ${context.spanId}`);
  return { role, name: span.name, traceId, spanId, parentId: span.parentSpanContext?.spanId, links };
}

async function listen(handler) {
  const server = createServer(handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}`;
}

/** Receives webhooks, each in a span that continues the trace of the request. */
function receiveWebhook(request, response) {
  const propagator = new W3CTraceContextPropagator();
  const context = propagator.extract(api.ROOT_CONTEXT, request.headers, api.defaultTextMapGetter);
  const span = tracer.startSpan("receive webhook", {}, context);
  request.resume().on("end", () => {
    span.end();
    response.writeHead(204).end();
  });
}

function createShared() {
  const pool = new pg.Pool({ connectionString });
  const backend = createPostgresBackend({ pool, schema });
  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
  const endpoint = () => ({ url, secrets });
  const webhooks = createWebhooks({ endpoint, trustedOrigins: [new URL(url).origin] });
  return createOrderService({ backend, authorize: allowAnonymous(), webhooks, observe: false });
}

/** Orders of `transaction` complete in a transaction, and the first attempt of `flaky` fails. */
async function ship({ itemId }, job) {
  tracer.startSpan("ship").end();
  if (itemId === "flaky" && job.attempt === 1) throw new Error("not yet");
  if (itemId === "transaction") await job.transaction(() => ({ shipped: true }));
}

const roles = {
  api: () => listen(toNodeHandler(createShared())),
  worker: async () => {
    const options = { sweepIntervalMs: 100, backoff: { baseMs: 1, maxMs: 1 } };
    await createWorker(createShared(), { orders: ship }, options).start();
  },
  receiver: () => listen(receiveWebhook),
};

process.on("message", () => process.send({ spans: exporter.getFinishedSpans().map(toPlain) }));
process.on("disconnect", () => process.exit(0));
process.send({ ready: (await roles[role]()) ?? "" });

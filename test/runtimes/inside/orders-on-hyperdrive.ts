import { type Backend, bearer, createOrderService, createWorker } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";

/** Bindings of the Worker: see hyperdrive.capnp. */
interface Env {
  readonly HYPERDRIVE: { readonly connectionString: string };
  readonly SCHEMA: string;
  /** Whether a request works after its reply. If not, it only records the order. */
  readonly WORKS_AFTER_REPLY: boolean;
  readonly ORDERS: OrdersBinding;
}

/** The Worker as a service binding. Plain workerd has neither Cron Triggers nor queues, so this sends their events. */
interface OrdersBinding {
  fetch(request: Request): Promise<Response>;
  scheduled(event: { readonly scheduledTime: Date; readonly cron: string }): Promise<unknown>;
  queue(name: string, messages: readonly object[]): Promise<unknown>;
}

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

/** A connection belongs to one request or event, so each opens its own. */
function openBackend({ HYPERDRIVE, SCHEMA }: Env): Backend {
  const pool = new Pool({
    connectionString: HYPERDRIVE.connectionString,
    max: 5,
    application_name: SCHEMA,
  }).on("error", console.error);
  return createPostgresBackend({ pool, schema: SCHEMA, listen: false, migrate: "manual" });
}

function open(env: Env) {
  const backend = openBackend(env);
  const authorize = bearer({ "demo-token": "demo", "other-token": "other" });
  const service = createOrderService({ backend, authorize, maxWaitMs: 0, maxStreamMs: 0 });
  const worker = createWorker(service, { orders: ({ quantity }) => ({ shipped: quantity }) });
  const work = () => worker.runFor({ maxMs: 25_000 }).finally(() => service.close());
  return { service, work };
}

export default {
  fetch: async (request: Request, env: Env, context: Context): Promise<Response> => {
    const { service, work } = open(env);
    const reply = await toFetchHandler(service)(request, context);
    context.waitUntil(reply.status === 202 && env.WORKS_AFTER_REPLY ? work() : service.close());
    return reply;
  },
  scheduled: (_event: unknown, env: Env, context: Context): void => context.waitUntil(open(env).work()),
  queue: (_batch: unknown, env: Env, context: Context): void => context.waitUntil(open(env).work()),
};

/** Forwards requests to the Worker. Those for `/scheduled` and `/queue` become an event of this kind. */
export const platform = {
  fetch: async (request: Request, { ORDERS }: Env): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const now = new Date();
    if (pathname === "/scheduled")
      return Response.json(await ORDERS.scheduled({ scheduledTime: now, cron: "* * * * *" }));
    if (pathname === "/queue") {
      const message = { id: "1", timestamp: now, attempts: 1, body: "There is work." };
      return Response.json(await ORDERS.queue("orders", [message]));
    }
    return ORDERS.fetch(request);
  },
};

import {
  bearer,
  createService,
  createWorker,
  defineOperation,
  type Processors,
  permanentFailure,
} from "async-request-reply";
import { type ClientOptions, createClient } from "async-request-reply/client";
import { toFetchHandler } from "async-request-reply/fetch";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { signalOf } from "./signal.js";

const exportsOf = defineOperation({
  name: "exports",
  path: "/accounts/{accountId}/exports",
  input: z.strictObject({ accountId: z.string(), format: z.enum(["csv", "parquet"]).default("csv") }),
  result: z.object({ url: z.string(), at: z.string().transform((text) => new Date(text)) }),
  progress: z.object({ percent: z.number() }),
  cancellable: true,
});
const orders = defineOperation({
  name: "orders",
  path: "/orders",
  input: z.strictObject({ itemId: z.string(), quantity: z.int() }),
});
const bookings = defineOperation({
  name: "bookings",
  path: "/bookings",
  input: z.strictObject({ room: z.int() }),
  result: z.object({ room: z.int() }),
});
export const definitions = [exportsOf, orders, bookings] as const;

/**
 * Starts a service under `/v1` with a worker, and a client that calls it without sockets. They are closed when the test
 * ends.
 */
export async function openStage() {
  const service = createService({
    definitions,
    authorize: bearer({ secret: "tenant-a", other: "tenant-b" }),
    basePath: "/v1",
    observe: false,
    list: true,
    create: { bookings: ({ room }) => ({ body: { room, status: "pending" } }) },
  });
  const gates = new Map<string, ReturnType<typeof signalOf<void>>>();
  const gate = (id: string) => {
    const known = gates.get(id) ?? signalOf();
    gates.set(id, known);
    return known;
  };
  // A worker learns of a cancellation when it renews a lease.
  const worker = createWorker(
    service,
    createProcessors((id) => gate(id).promise),
    { leaseMs: 300 },
  );
  await worker.start();
  onTestFinished(async () => {
    await Promise.all([worker.stop(), service.close()]);
  });
  const handler = toFetchHandler(service);
  const requests: Request[] = [];
  const connect = (options: Partial<ClientOptions> = {}) =>
    createClient({
      baseUrl: "http://localhost/v1",
      definitions,
      headers: { authorization: "Bearer secret" },
      fetch: (url, init) => {
        const request = new Request(url, init);
        requests.push(request);
        return handler(request);
      },
      ...options,
    });
  return {
    api: connect(),
    /** Creates another client of the service. */
    connect,
    /** Requests so far. Their bodies are used up. */
    requests,
    /** Continues the work on an account. It waits after it has reported 50 %. */
    finish: (accountId: string) => gate(accountId).resolve(),
  };
}

function createProcessors(finished: (accountId: string) => Promise<void>): Processors<typeof definitions> {
  return {
    exports: async ({ accountId, format }, job) => {
      job.progress({ percent: 50 });
      const cancelled = new Promise<never>((_, reject) => {
        job.signal.addEventListener("abort", () => reject(job.signal.reason));
      });
      await Promise.race([finished(accountId), cancelled]);
      return { url: `/${accountId}.${format}`, at: "2026-11-22T00:00:00Z" };
    },
    orders: ({ itemId }) => {
      if (itemId === "unicorn") throw permanentFailure("Unicorns are sold out.");
      return { itemId };
    },
    bookings: ({ room }) => ({ room }),
  };
}

import {
  allowAnonymous,
  apiKey,
  type Backend,
  bearer,
  createMemoryBackend,
  createMemoryStores,
  createOrderService,
  createService,
  createWorker,
  defineOperation,
  type Queue,
  type Service,
  type StandardSchema,
  submitOrder,
  withQueue,
} from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import type { Definitions, Mountable } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import * as v from "valibot";
import * as z from "zod";
import { exportsOf, orders } from "./definitions.js";

declare const pool: Pool;
declare const tx: PoolClient;
declare const queue: Queue;

const authorize = allowAnonymous();
const other = defineOperation({ name: "other", path: "/other", input: z.object({ a: z.string() }) });

/** Path fields are required string, number or boolean members of the input. */
const id = z.object({ id: z.string() });
// @ts-expect-error -- not a member of the input
defineOperation({ name: "x", path: "/a/{nope}/b", input: id });
// @ts-expect-error -- the member is an object
defineOperation({ name: "x", path: "/a/{id}", input: z.object({ id: z.object({}) }) });
// @ts-expect-error -- must not be optional
defineOperation({ name: "x", path: "/a/{id}", input: z.object({ id: z.string().optional() }) });
const many = {
  id: z.uuid(),
  n: z.number(),
  opt: z.string().optional(),
  any: z.unknown(),
  rec: z.record(z.string(), z.number()),
  u: z.union([z.literal("all"), z.int()]),
};
defineOperation({ name: "x", path: "/a/{id}/b/{n}", input: z.object(many) });
defineOperation({
  name: "x",
  path: "/a/{id}",
  input: v.object({ id: v.string() }),
  result: v.pipe(v.string(), v.transform(Number)),
});
declare const ofInterface: StandardSchema<{ id: string; tags: readonly string[]; opt?: number }>;
defineOperation({ name: "x", path: "/a/{id}", input: ofInterface });

/** Input schemas must read JSON. */
// @ts-expect-error -- a Date cannot be read from JSON
defineOperation({ name: "x", path: "/a", input: z.object({ when: z.date() }) });
defineOperation({
  name: "x",
  path: "/a",
  // @ts-expect-error -- a nested Map cannot be read from JSON either
  input: z.object({ in: z.object({ m: z.map(z.string(), z.string()) }) }),
});
defineOperation({
  name: "x",
  path: "/a",
  input: z.object({ when: z.iso.datetime().transform((t) => new Date(t)) }),
});
interface Tree {
  v: string;
  children: Tree[];
}
const recursive: z.ZodType<Tree, Tree> = z.lazy(() =>
  z.object({ v: z.string(), children: z.array(recursive) }),
);
defineOperation({ name: "t", path: "/t", input: recursive });

const postgres = createPostgresBackend({ pool });
const memory = createMemoryBackend();

/** `create` is an option of the service, by definition, and gets a transaction of its back end. */
const service = createService({
  definitions: [exportsOf, orders],
  backend: postgres,
  authorize,
  create: {
    orders: async (order, { tx: own, operationId, tenant }) => {
      const quantity: number = order.quantity;
      await own.query("insert into orders values ($1, $2, $3)", [operationId, tenant, quantity]);
      return { body: { operationId } };
    },
  },
});
createService({
  definitions: [exportsOf],
  backend: postgres,
  authorize,
  // @ts-expect-error -- unknown definition
  create: { ordres: async () => ({ body: {} }) },
});
createService({
  definitions: [orders],
  authorize,
  // @ts-expect-error -- the memory back end shares no transactions
  create: { orders: async (_, { tx: own }) => ({ body: { own } }) },
});
const memoryService = createService({ definitions: [exportsOf, orders], authorize });

/** Hooks and body readers may return any thenable, such as a query builder. */
declare const principal: PromiseLike<{ id: string; tenant: string } | undefined>;
declare const refusal: PromiseLike<{ status: 429; retryAfterSeconds: number } | undefined>;
declare const bytes: PromiseLike<Uint8Array>;
createService({ definitions: [orders], authorize: () => principal, admit: () => refusal });
createService({ definitions: [orders], authorize: bearer(() => principal) });
createService({ definitions: [orders], authorize: apiKey(() => principal) });
void memoryService.handle({ method: "POST", path: "/orders", headers: [], body: () => bytes });
// @ts-expect-error -- not a principal
createService({ definitions: [orders], authorize: () => bytes });
// @ts-expect-error -- not a refusal
createService({ definitions: [orders], authorize, admit: () => principal });

/** Submitting in process takes the input of the schema. */
const tenant = "t";
export const submitted = [
  service.submit(exportsOf, { accountId: "1" }, { tenant, key: "k", tx }),
  service.submit(exportsOf, { accountId: "1", format: "csv" }, { tenant, delayMs: 10, startWithinMs: 1_000 }),
  service.submit(exportsOf, { accountId: "1" }, { tenant, webhookUrl: "https://example.com/hooks" }),
  // @ts-expect-error -- a URL is text
  service.submit(exportsOf, { accountId: "1" }, { tenant, webhookUrl: new URL("https://example.com") }),
  service.submit(orders, { itemId: "a", quantity: 1 }, { tenant }).then(({ resource }) => resource?.body),
  service.submit(orders, { itemId: "a", quantity: 1 }, { tenant, tx }),
  // @ts-expect-error -- not a known format
  service.submit(exportsOf, { accountId: "1", format: "pdf" }, { tenant }),
  // @ts-expect-error -- the tenant is required
  service.submit(exportsOf, { accountId: "1" }, { key: "k" }),
  // @ts-expect-error -- not a definition of this service
  service.submit(other, { a: "" }, { tenant }),
  // @ts-expect-error -- the memory back end shares no transactions
  memoryService.submit(exportsOf, { accountId: "1" }, { tenant, tx }),
  // @ts-expect-error -- not a transaction
  service.submit(exportsOf, { accountId: "1" }, { tenant, tx: 1 }),
];

/** Items of a list take the input of the schema and the options of a submission, except for the tenant. */
const items = [{ input: { accountId: "1" }, key: "a" }, { input: { accountId: "2" } }];
const outcomes = await service.submitMany(exportsOf, items, { tenant, principal: "ann", tx });
for (const each of outcomes) {
  const error: { readonly code: string } | undefined = each.outcome === "refused" ? each.error : undefined;
  const operationId: string | undefined = each.outcome === "refused" ? undefined : each.operationId;
  // @ts-expect-error -- a refused item has no operation
  const none: string = each.operationId;
  // @ts-expect-error -- not an outcome
  if (each.outcome === "accepted") void none;
  void [error, operationId];
}
const one = { input: { accountId: "1" } };
export const submittedMany = [
  service.submitMany(exportsOf, [{ ...one, key: "k", delayMs: 1, urgency: 0, principal: "ann" }], { tenant }),
  service.submitMany(exportsOf, [{ ...one, webhookUrl: "https://example.com/hooks" }], { tenant }),
  service.submitMany(exportsOf, [], { tenant }),
  // @ts-expect-error -- not an input of this definition
  service.submitMany(exportsOf, [{ input: { accountId: 1 } }], { tenant }),
  // @ts-expect-error -- an item has an input
  service.submitMany(exportsOf, [{ key: "k" }], { tenant }),
  // @ts-expect-error -- a misspelled option of an item
  service.submitMany(exportsOf, [{ input: { accountId: "1" }, kye: "k" }], { tenant }),
  // @ts-expect-error -- the tenant belongs to the call
  service.submitMany(exportsOf, [{ input: { accountId: "1" }, tenant }], { tenant }),
  // @ts-expect-error -- a key belongs to an item
  service.submitMany(exportsOf, [one], { tenant, key: "k" }),
  // @ts-expect-error -- the tenant is required
  service.submitMany(exportsOf, [one], {}),
  // @ts-expect-error -- not an array
  service.submitMany(exportsOf, one, { tenant }),
  // @ts-expect-error -- not a definition of this service
  service.submitMany(other, [{ input: { a: "" } }], { tenant }),
  // @ts-expect-error -- the memory back end shares no transactions
  memoryService.submitMany(exportsOf, [one], { tenant, tx }),
  // @ts-expect-error -- not a transaction
  service.submitMany(exportsOf, [one], { tenant, tx: 1 }),
];

/** The tenant is optional only if the service has no `authorize`. */
const local = createService({ definitions: [exportsOf, orders], backend: postgres });
void local.submit(exportsOf, { accountId: "1" });
void local.submit(exportsOf, { accountId: "1" }, { key: "k", tx });
void local.submitMany(exportsOf, [one]);
void local.submitMany(exportsOf, [one], { tx });
// @ts-expect-error -- a misspelled option
void local.submitMany(exportsOf, [one], { tennant: "a" });
void local.get(exportsOf, "id").then((found) => found?.status === "completed" && found.result.url);
void local.result(exportsOf, "id", { signal: AbortSignal.timeout(1) });
void local.cancel(exportsOf, "id", { tenant });
// @ts-expect-error -- not an input of this definition
void local.submit(exportsOf, { accountId: 1 });
// @ts-expect-error -- a misspelled option
void local.submit(exportsOf, { accountId: "1" }, { tennant: "a" });
// @ts-expect-error -- the back end shares no synchronous transactions
void local.prepare(exportsOf, { accountId: "1" }, {});
// @ts-expect-error -- the service has `authorize`
void service.get(exportsOf, "id");
const maybe = Math.random() > 0.5 ? authorize : undefined;
// @ts-expect-error -- the service may have `authorize`
void createService({ definitions: [orders], ...(maybe && { authorize: maybe }) }).cancel(orders, "id");
// @ts-expect-error -- the order service has `authorize`
void createOrderService({ authorize }).cancel(orders, "id");
void createOrderService({}).cancel(orders, "id");
createWorker(local, { orders: async () => {} });

/** Reading returns the JSON form of the schemas' output. */
const operation = await service.get(exportsOf, "id", { tenant });
if (operation?.status === "completed") {
  const url: string = operation.result.url;
  const at: string = operation.result.at;
  // @ts-expect-error -- a Date travels as a string
  const date: Date = operation.result.at;
  void [url, at, date];
}
if (operation?.status === "pending") {
  const percent: number | undefined = operation.progress?.percent;
  void percent;
}

/** Processors get the schema's output and return the result schema's input. */
createWorker(service, {
  exports: {
    run: async ({ accountId, format }, job) => {
      const chosen: "csv" | "parquet" = format;
      job.progress({ percent: 1 });
      // @ts-expect-error -- the progress does not match its schema
      job.progress({ pct: 1 });
      return job.transaction(async (own) => {
        await own.query("select $1", [chosen]);
        return { url: accountId, rows: 1, at: "2026-01-01" };
      });
    },
    concurrency: 4,
    maxAttempts: 3,
  },
  orders: (order) => {
    const quantity: number = order.quantity;
    return quantity;
  },
});
createWorker({ backend: memory, definitions: [exportsOf, orders] }, { orders: async () => {} });
// @ts-expect-error -- misspelled name
createWorker(service, { export: async () => {} });
// @ts-expect-error -- not a result of the schema
createWorker(service, { exports: async () => ({ url: 1 }) });
// @ts-expect-error -- misspelled option
createWorker(service, { orders: { run: () => 1, maxAttemps: 1 } });
createWorker(memoryService, {
  orders: async (_, job) => {
    // @ts-expect-error -- the memory back end shares no transactions
    await job.transaction(async () => 1);
  },
});
const list = [exportsOf, orders];
createWorker(
  { backend: postgres, definitions: list },
  { exports: async (input) => ({ url: input.accountId, rows: 1, at: "2026-01-01" }) },
);

/** Every service is a `Service`, and adapters only need a `Mountable`. */
export const services: readonly Service[] = [service, memoryService, local];
export const mountables: readonly Mountable[] = [service, memoryService, local];
toNodeHandler(service);
toNodeHandler(memoryService);
// @ts-expect-error -- not a service
toNodeHandler(undefined);
export function read<List extends Definitions, Tx>(
  any: Service<List, Tx>,
  definition: List[number],
): Promise<unknown> {
  return any.get(definition, "", { tenant });
}
void read(service, exportsOf);
declare const request: Parameters<typeof submitOrder>[0];
// @ts-expect-error -- the first definition is not the order
void submitOrder(request, memoryService);

/** Replacing the queue keeps the transactions. Separate stores share none. */
const queued = createService({ definitions: [exportsOf], backend: withQueue(postgres, queue), authorize });
void queued.submit(exportsOf, { accountId: "" }, { tenant, tx });
const torn = createService({
  definitions: [exportsOf],
  backend: { ...createMemoryStores(), queue },
  authorize,
});
// @ts-expect-error -- the stores share no transaction
void torn.submit(exportsOf, { accountId: "" }, { tenant, tx });
const explicit = createService({ definitions: [exportsOf], backend: memory, authorize });
// @ts-expect-error -- the memory back end was passed explicitly
void explicit.submit(exportsOf, { accountId: "" }, { tenant, tx });

/** A back end that is chosen by an environment variable may have no transactions. */
const chosen = Math.random() > 0.5 ? postgres : memory;
const either = createService({ definitions: [exportsOf], backend: chosen, authorize });
void either.submit(exportsOf, { accountId: "" }, { tenant });
export const anyBackend: readonly Backend[] = [postgres, memory, chosen];

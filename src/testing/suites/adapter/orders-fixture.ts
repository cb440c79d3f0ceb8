import type { Operation } from "../../../contract/operation.js";
import type { Order } from "../../../contract/order.js";
import { bearer } from "../../../http/access/credentials.js";
import { createOrderService, type OrderServiceOptions } from "../../../http/order-service.js";
import type { Backend } from "../../../ports/backend.js";
import type { ServiceEvent } from "../../../ports/observer.js";
import type { Processor } from "../../../worker/attempt/job.js";
import { createWorker } from "../../../worker/worker.js";
import { allOperations } from "../../all-operations.js";
import type { AdapterHarness, Mounted, WireRequest } from "./adapter-case.js";

export type Options = Partial<OrderServiceOptions<unknown>>;

/** An order service behind the adapter under test. */
export interface Orders extends Mounted {
  readonly backend: Backend;
  /** Events observed so far. */
  readonly events: readonly ServiceEvent[];
  /** Returns every recorded operation. */
  recorded(): Promise<readonly Operation[]>;
  /** Runs a worker until no work is due. */
  work(processor?: Processor<Order>): Promise<void>;
}

/** Principals that {@link mountOrders} knows: ids by token. */
export const TOKENS = { "token-of-a": "a", "token-of-b": "b" } as const;

/** Mounts an order service. By default it accepts the principals in {@link TOKENS}. */
export async function mountOrders(harness: AdapterHarness, options: Options = {}): Promise<Orders> {
  const backend = options.backend ?? harness.createBackend();
  const events: ServiceEvent[] = [];
  const service = createOrderService({
    authorize: bearer(TOKENS),
    observe: (event) => events.push(event),
    ...options,
    backend,
  });
  return {
    ...(await harness.mount(service)),
    backend,
    events,
    recorded: () => allOperations(backend.operations),
    work: (processor = () => undefined) => createWorker(service, { orders: processor }).runUntilIdle(),
  };
}

/** A change to {@link submission}. A field is one line, several lines, or `undefined` to leave it out. */
export interface Change {
  readonly method?: string;
  readonly path?: string;
  readonly fields?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: WireRequest["body"];
}

/** Builds a valid order request with the changes that a case needs. */
export function submission(change: Change = {}): WireRequest {
  const { method = "POST", path = "/orders", body = ORDER, fields } = change;
  const all = { authorization: "Bearer token-of-a", "content-type": "application/json", ...fields };
  return { method, path, headers: toLines(all), body };
}

/** Builds a request without a body, from principal `a`. */
export function request(method: string, path: string, fields: Change["fields"] = {}): WireRequest {
  return { method, path, headers: toLines({ authorization: "Bearer token-of-a", ...fields }) };
}

export const ORDER = '{"itemId":"book","quantity":2}';

/** More fields than the service reads, within the 16 KiB that Node accepts. */
export const MANY_FIELDS: WireRequest["headers"] = Array.from({ length: 1_100 }, (_, index) => [
  `x${index}`,
  "1",
]);

function toLines(fields: NonNullable<Change["fields"]>): [string, string][] {
  return Object.entries(fields).flatMap(([name, value = []]) =>
    (typeof value === "string" ? [value] : value).map((line): [string, string] => [name, line]),
  );
}

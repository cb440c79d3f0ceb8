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
  /** What the service has observed so far. */
  readonly events: readonly ServiceEvent[];
  /** Everything that was recorded. */
  recorded(): Promise<readonly Operation[]>;
  /** Works off what is due. */
  work(processor?: Processor<Order>): Promise<void>;
}

/** The principals that {@link mountOrders} knows: tokens and ids. */
export const TOKENS = { "token-of-a": "a", "token-of-b": "b" } as const;

/** Mounts an order service; without options it lets in the principals of {@link TOKENS}. */
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

/** A change of {@link submission}: a field is one line, several lines, or with `undefined` left out. */
export interface Change {
  readonly method?: string;
  readonly path?: string;
  readonly fields?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: WireRequest["body"];
}

/** An order that is in order: with the changes that a case is about. */
export function submission(change: Change = {}): WireRequest {
  const { method = "POST", path = "/orders", body = ORDER, fields } = change;
  const all = { authorization: "Bearer token-of-a", "content-type": "application/json", ...fields };
  return { method, path, headers: toLines(all), body };
}

/** A request without a body, from principal `a`. */
export function request(method: string, path: string, fields: Change["fields"] = {}): WireRequest {
  return { method, path, headers: toLines({ authorization: "Bearer token-of-a", ...fields }) };
}

export const ORDER = '{"itemId":"book","quantity":2}';

/** More fields than are read, and still within 16 KiB, which is as much as Node takes. */
export const MANY_FIELDS: WireRequest["headers"] = Array.from({ length: 1_100 }, (_, index) => [
  `x${index}`,
  "1",
]);

function toLines(fields: NonNullable<Change["fields"]>): [string, string][] {
  return Object.entries(fields).flatMap(([name, value = []]) =>
    (typeof value === "string" ? [value] : value).map((line): [string, string] => [name, line]),
  );
}

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

/** An order with a key, and everything its client has seen of it. */
export interface SentOrder {
  readonly key: string;
  /** Every operation id in a reply. */
  readonly operationIds: Set<string>;
  /** The status of every reply, and 0 for each request without a reply. */
  readonly statuses: number[];
  /** The problem type of every problem reply. */
  readonly problems: string[];
  /** Number of 409 and 503 replies without Retry-After. */
  missingRetryAfter: number;
  /** Duration of the slowest request. */
  slowestMs: number;
}

/** Chooses the process that the next request goes to. */
export type ChooseUrl = () => string;

export interface SendOptions {
  readonly itemId?: string;
  /** Further members of the order. Default: a quantity of 1. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly retryMs?: number;
  readonly timeoutMs?: number;
}

/** The members of the operation resource that the tests read. */
export interface OrderOperation {
  readonly operationId: string;
  readonly status: "pending" | "completed" | "failed";
  readonly result?: unknown;
  readonly error?: { readonly type: string };
}

/** Creates an order that has not been sent yet. Its item is named after the key, so that the ledger shows the key. */
export function newOrder(key: string): SentOrder {
  return { key, operationIds: new Set(), statuses: [], problems: [], missingRetryAfter: 0, slowestMs: 0 };
}

/** Sends an order once. Returns the status, or 0 without a complete reply. */
export async function sendOnce(
  order: SentOrder,
  baseUrl: string,
  options: SendOptions = {},
): Promise<number> {
  const { itemId = order.key, members, timeoutMs = 20_000 } = options;
  const body = JSON.stringify({ itemId, quantity: 1, ...members });
  const begun = performance.now();
  const status = await post(order, baseUrl, body, timeoutMs).catch(() => 0);
  order.statuses.push(status);
  order.slowestMs = Math.max(order.slowestMs, performance.now() - begun);
  return status;
}

/** Posts an order. Rejects if the reply is cut off. */
async function post(order: SentOrder, baseUrl: string, body: string, timeoutMs: number): Promise<number> {
  const response = await fetch(`${baseUrl}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": order.key },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { operationId, type } = (await response.json()) as { operationId?: string; type?: string };
  if (type !== undefined) order.problems.push(type);
  if (response.status === 202) order.operationIds.add(operationId ?? "none");
  if (isTransient(response.status) && !response.headers.has("retry-after")) order.missingRetryAfter += 1;
  return response.status;
}

/** Whether a retry may be accepted: no reply (0), a submission in progress (409), or an outage (503). */
export function isTransient(status: number): boolean {
  return [0, 409, 503].includes(status);
}

/** Sends an order until it is accepted, with the same key and payload each time, like a correct client. */
export async function send(key: string, chooseUrl: ChooseUrl, options: SendOptions = {}): Promise<SentOrder> {
  const order = newOrder(key);
  for (;;) {
    const status = await sendOnce(order, chooseUrl(), options);
    if (status === 202) return order;
    if (!isTransient(status)) throw new Error(`${key} was answered with ${status}`);
    await sleep(options.retryMs ?? 100);
  }
}

/** Sends many orders with a few concurrent clients. */
export async function sendAll(
  keys: readonly string[],
  chooseUrl: ChooseUrl,
  { clients = 16, ...options }: SendOptions & { readonly clients?: number } = {},
): Promise<readonly SentOrder[]> {
  const waiting = [...keys];
  const sent: SentOrder[] = [];
  const client = async (): Promise<void> => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift())
      sent.push(await send(key, chooseUrl, options));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return sent;
}

/** Reads an operation. Returns the status if it is not 200, or 0 without a complete reply. */
export async function readOnce(operationId: string, baseUrl: string): Promise<OrderOperation | number> {
  try {
    const response = await fetch(`${baseUrl}/operations/${operationId}`, {
      signal: AbortSignal.timeout(20_000),
    });
    const body = (await response.json()) as OrderOperation;
    return response.status === 200 ? body : response.status;
  } catch {
    return 0;
  }
}

/** Returns keys: `prefix-1`, `prefix-2` … */
export function keysOf(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}

/** Returns the ids of all operations that were named in replies. */
export function idsOf(...orders: readonly SentOrder[]): readonly string[] {
  return orders.flatMap(({ operationIds }) => [...operationIds]);
}

/** Returns every status of a reply. */
export function statusesOf(orders: readonly SentOrder[]): ReadonlySet<number> {
  return new Set(orders.flatMap(({ statuses }) => statuses));
}

/** Checks that replies came in bounded time. */
export function expectNoLongWait(orders: readonly SentOrder[], limitMs = 12_000): void {
  expect(Math.max(...orders.map(({ slowestMs }) => slowestMs))).toBeLessThan(limitMs);
}

/** Sends an order once, and checks that the reply is 503 with Retry-After. */
export async function expectUnavailable(key: string, baseUrl: string): Promise<void> {
  const order = newOrder(key);
  expect(await sendOnce(order, baseUrl)).toBe(503);
  expect(order.missingRetryAfter).toBe(0);
}

/** Returns a function that cycles through processes. */
export function alternate(processes: readonly { readonly baseUrl: string }[]): ChooseUrl {
  let turn = 0;
  return () => {
    turn += 1;
    return processes[turn % processes.length]?.baseUrl ?? "";
  };
}

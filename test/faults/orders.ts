import { setTimeout as sleep } from "node:timers/promises";

/** An order with a key, as a client remembers it. */
export interface SentOrder {
  readonly key: string;
  /** Every operation that a reply has named. */
  readonly operationIds: Set<string>;
  /** The status of every reply, and 0 for each request that brought none. */
  readonly statuses: number[];
  /** The problem type of every reply that brought a problem. */
  readonly problems: string[];
  /** How many replies of 409 and 503 did not say when to come again. */
  blind: number;
  /** How long the slowest reply took, or the slowest request that brought none. */
  slowestMs: number;
}

/** Chooses the process that the next request goes to. */
export type ChooseUrl = () => string;

export interface SendOptions {
  readonly itemId?: string;
  /** Members of the order besides its item, or other ones than a quantity of 1. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly retryMs?: number;
  readonly timeoutMs?: number;
}

/** The operation resource, as far as these tests read it. */
export interface OrderOperation {
  readonly operationId: string;
  readonly status: "pending" | "completed" | "failed";
  readonly result?: unknown;
  readonly error?: { readonly type: string };
}

/** Remembers an order that has not been sent. Its item has the name of its key, so that the ledger shows whose work was done. */
export function newOrder(key: string): SentOrder {
  return { key, operationIds: new Set(), statuses: [], problems: [], blind: 0, slowestMs: 0 };
}

/** Sends an order once. Returns the status, or 0 where no reply came. */
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

/** Rejects also where a reply is cut off: that is none. */
async function post(order: SentOrder, baseUrl: string, body: string, timeoutMs: number): Promise<number> {
  const response = await fetch(`${baseUrl}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": order.key },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { operationId, type } = (await response.json()) as {
    readonly operationId?: string;
    readonly type?: string;
  };
  if (type !== undefined) order.problems.push(type);
  if (response.status === 202) order.operationIds.add(operationId ?? "none");
  if (isTransient(response.status) && !response.headers.has("retry-after")) order.blind += 1;
  return response.status;
}

/** Whether the same request may be accepted later: no reply, being recorded by somebody else, or unavailable. */
export function isTransient(status: number): boolean {
  return [0, 409, 503].includes(status);
}

/** Sends an order until it is accepted, as a client should: the same request with the same key, wherever somebody answers. */
export async function send(key: string, chooseUrl: ChooseUrl, options: SendOptions = {}): Promise<SentOrder> {
  const order = newOrder(key);
  for (;;) {
    const status = await sendOnce(order, chooseUrl(), options);
    if (status === 202) return order;
    if (!isTransient(status)) throw new Error(`${key} was answered with ${status}`);
    await sleep(options.retryMs ?? 100);
  }
}

/** Sends many orders by a few clients at the same time. */
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

/** Reads the operation of an order. Returns the status of a reply that has none, or 0 where none came. */
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

/** Names for keys: `prefix-1`, `prefix-2` … */
export function keysOf(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}

/** Takes turns. */
export function alternate(urls: readonly string[]): ChooseUrl {
  let turn = 0;
  return () => {
    turn += 1;
    return urls[turn % urls.length] ?? "";
  };
}

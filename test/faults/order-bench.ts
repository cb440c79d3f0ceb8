import type { Backend, Queue } from "async-request-reply";
import type { ListPosition, Operation } from "async-request-reply/ports";
import { expect, vi } from "vitest";
import type { OrderProcess, ProcessOptions } from "./order-processes.js";
import type { SentOrder } from "./orders.js";

/** One effect of a processor. */
export interface Effect {
  readonly operationId: string;
  readonly itemId: string;
  /** Number of the attempt that wrote it. */
  readonly attempt: number;
}

/** A store with tables of effects, and processes that use it. */
export interface OrderBench extends OrderChecks {
  /** Starts a process. Default `url`: the store of the bench. */
  start(options: Omit<ProcessOptions, "url"> & { readonly url?: string }): Promise<OrderProcess>;
  /** Locks the store, so that every write has to wait. Returns a function that unlocks it. */
  lock(): Promise<() => Promise<void>>;
  /** Restarts the server of the store. Without a server, does nothing. */
  restartStore(): Promise<void>;
  close(): Promise<void>;
}

/** Checks of what a store and the tables of effects contain. */
export interface OrderChecks {
  /** Publishes announcements of operations. */
  readonly publish: Queue["publish"];
  /** Returns the number of operations that an attempt holds now. */
  held(): Promise<number>;
  /** Returns all operations. */
  operations(): Promise<readonly Operation[]>;
  /** Returns one row for each operation with an effect. Its primary key ignores repeated effects. */
  ledger(): Promise<readonly Effect[]>;
  /** Returns one row for each effect, including repeated ones. */
  effects(): Promise<readonly Effect[]>;
  /** Waits until every operation is terminal. */
  untilTerminal(timeoutMs?: number): Promise<void>;
  /**
   * Checks that every 202 named an operation that completed, that every key has one operation, and that the ledger has
   * one row per completed operation.
   */
  expectInvariants(sent: readonly SentOrder[]): Promise<void>;
}

export function createChecks(
  { operations: { list, getMany, stats }, queue }: Backend,
  rowsOf: (table: "ledger" | "effects") => Promise<readonly Effect[]>,
): OrderChecks {
  if (list === undefined || getMany === undefined || stats === undefined)
    throw new Error("the back end must be able to list and count operations");

  const operations = async (): Promise<readonly Operation[]> => {
    const found: Operation[] = [];
    for (let after: ListPosition | undefined; ; ) {
      const page = await list({ internal: true, limit: 1_000, ...(after === undefined ? {} : { after }) });
      if (page.length === 0) return found;
      after = page.at(-1);
      found.push(...(await getMany(page.map(({ id }) => id))));
    }
  };
  return {
    publish: queue.publish,
    held: async () => {
      const [counts] = await stats({ definitions: ["orders"] });
      return counts?.running.count ?? 0;
    },
    operations,
    ledger: () => rowsOf("ledger"),
    effects: () => rowsOf("effects"),
    untilTerminal: async (timeoutMs = 60_000) => {
      const areTerminal = async (): Promise<boolean> =>
        (await operations()).every(({ state }) => state === "completed" || state === "failed");
      await vi.waitUntil(areTerminal, { timeout: timeoutMs, interval: 200 });
    },
    expectInvariants: async (sent) => expectInvariants(sent, await operations(), await rowsOf("ledger")),
  };
}

function expectInvariants(
  sent: readonly SentOrder[],
  operations: readonly Operation[],
  ledger: readonly Effect[],
): void {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const wrong = sent.flatMap(({ key, operationIds }) => {
    const found = [...operationIds].map((id) => byId.get(id));
    const isRight =
      found.length === 1 &&
      found.every((operation) => operation?.state === "completed" && operation.key === key);
    return isRight ? [] : [{ key, operationIds: [...operationIds], found }];
  });
  expect(wrong, "accepted orders without exactly one completed operation").toEqual([]);
  expect(repeated(operations.flatMap(({ key }) => key ?? [])), "keys with two operations").toEqual([]);
  expect(repeated(ledger.map(({ itemId }) => itemId)), "orders with two effects").toEqual([]);
  const completed = operations.filter(({ state }) => state === "completed").map(({ id }) => id);
  expect(new Set(ledger.map(({ operationId }) => operationId)), "the ledger").toEqual(new Set(completed));
}

function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}

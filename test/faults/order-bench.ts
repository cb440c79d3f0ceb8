import type { Backend } from "async-request-reply";
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
  start(options: StartOptions): Promise<OrderProcess>;
  /** Locks the store, so that every write has to wait. Returns a function that unlocks it. */
  lock(): Promise<() => Promise<void>>;
  /** Restarts the server of the store. Without a server, does nothing. */
  restartStore(): Promise<void>;
  close(): Promise<void>;
}

type StartOptions = Omit<ProcessOptions, "url"> & { readonly url?: string };
type Role = ProcessOptions["role"];

/** Starts a process for each of the roles. */
export function startAll<const Roles extends readonly Role[]>(
  { start }: Pick<OrderBench, "start">,
  roles: Roles,
  options: Omit<StartOptions, "role"> = {},
) {
  const started = roles.map((role) => start({ role, ...options }));
  return Promise.all(started) as Promise<{ readonly [Index in keyof Roles]: OrderProcess }>;
}

/** Checks of what a store and the tables of effects contain. */
type OrderChecks = ReturnType<typeof createChecks>;

export function createChecks(
  { operations: { list, getMany, stats }, queue }: Backend,
  rowsOf: (table: "ledger" | "effects") => Promise<readonly Effect[]>,
) {
  /** Returns all operations. */
  async function operations(): Promise<readonly Operation[]> {
    const found: Operation[] = [];
    for (let after: ListPosition | undefined; ; ) {
      const page = await list({ internal: true, limit: 1_000, ...(after === undefined ? {} : { after }) });
      if (page.length === 0) return found;
      after = page.at(-1);
      found.push(...(await getMany(page.map(({ id }) => id))));
    }
  }

  /** Waits until every operation is terminal. */
  async function untilTerminal(timeout = 60_000): Promise<void> {
    const areTerminal = async (): Promise<boolean> =>
      (await operations()).every(({ state }) => state === "completed" || state === "failed");
    await vi.waitUntil(areTerminal, { timeout, interval: 200 });
  }

  /**
   * Waits until every operation is terminal. Then checks that every 202 named an operation that completed, that every
   * key has one operation, and that the ledger has one row per completed operation.
   */
  async function expectCompleted(sent: readonly SentOrder[], timeoutMs?: number): Promise<void> {
    await untilTerminal(timeoutMs);
    const stored = await operations();
    const ledger = await rowsOf("ledger");
    const byId = new Map(stored.map((operation) => [operation.id, operation]));
    const wrong = sent.flatMap(({ key, operationIds }) => {
      const found = [...operationIds].map((id) => byId.get(id));
      const isRight =
        found.length === 1 &&
        found.every((operation) => operation?.state === "completed" && operation.key === key);
      return isRight ? [] : [{ key, operationIds: [...operationIds], found }];
    });
    expect(wrong, "accepted orders without exactly one completed operation").toEqual([]);
    expect(repeated(stored.flatMap(({ key }) => key ?? [])), "keys with two operations").toEqual([]);
    expect(repeated(ledger.map(({ itemId }) => itemId)), "orders with two effects").toEqual([]);
    const completed = stored.filter(({ state }) => state === "completed").map(({ id }) => id);
    expect(new Set(ledger.map(({ operationId }) => operationId)), "the ledger").toEqual(new Set(completed));
  }

  return {
    operations,
    untilTerminal,
    expectCompleted,
    /** Publishes announcements of operations. */
    publish: queue.publish,
    /** Returns the number of operations that an attempt holds now. */
    held: async () => {
      const [counts] = await stats({ definitions: ["orders"] });
      return counts?.running.count ?? 0;
    },
    /** Returns one row for each operation with an effect. Its primary key ignores repeated effects. */
    ledger: () => rowsOf("ledger"),
    /** Returns one row for each effect, including repeated ones. */
    effects: () => rowsOf("effects"),
  };
}

function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}

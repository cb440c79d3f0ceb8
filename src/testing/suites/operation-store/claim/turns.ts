import type { NewOperation } from "../../../../contract/operation.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal } from "../../../expect.js";
import { claim, createPending, type OperationStoreCheck } from "../fixtures.js";

/** The work of a case, which knows the tenant and the urgency of each operation. */
class Work {
  readonly #created = new Map<string, NewOperation>();
  readonly #store: OperationStore;

  constructor(store: OperationStore) {
    this.#store = store;
  }

  /** Creates operations of `orders`. Returns their ids. */
  async add(count: number, members: Partial<NewOperation>): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const operation = await createPending(this.#store, members);
      this.#created.set(operation.id, operation);
      ids.push(operation.id);
    }
    return ids;
  }

  /** Claims for this many slots. Returns what began, as it was created. */
  async take(slots: number): Promise<readonly NewOperation[]> {
    const { begun } = await claim(this.#store, { slots });
    return begun.flatMap(({ operation }) => this.#created.get(operation.id) ?? []);
  }

  /** Claims for this many slots. Returns the tenants of what began. */
  async takeTenants(slots: number): Promise<readonly string[]> {
    return (await this.take(slots)).map(({ tenant }) => tenant);
  }

  /** Adds operations of 60 tenants that are due in an hour. */
  async addLater(): Promise<void> {
    for (let index = 0; index < 60; index += 1)
      await this.add(1, { tenant: `later ${index}`, delayMs: 3_600_000 });
  }
}

function counts(tenants: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const tenant of tenants) found[tenant] = (found[tenant] ?? 0) + 1;
  return found;
}

/** Cases about the order in which claims begin what is due. */
export const claimTurnChecks: readonly OperationStoreCheck[] = [
  {
    rule: "turns.newcomer",
    name: "a claim gives the next turn to a tenant who comes after the backlog of another one",
    check: async (store) => {
      const work = new Work(store);
      await work.add(200, { tenant: "flood" });
      await work.take(10);
      await work.add(1, { tenant: "b" });
      deepEqual(counts(await work.takeTenants(10)), { flood: 9, b: 1 }, "the tenants of the next claim");
    },
  },
  {
    rule: "turns.round",
    name: "claims give every tenant a turn before any tenant gets a second one",
    check: async (store) => {
      const work = new Work(store);
      const tenants = Array.from({ length: 20 }, (_, index) => `tenant ${index}`);
      for (const tenant of tenants) await work.add(5, { tenant });
      const first: string[] = [];
      for (let call = 0; call < 5; call += 1) first.push(...(await work.takeTenants(4)));
      deepEqual([...first].sort(), [...tenants].sort(), "the tenants of the first 20 attempts");
    },
  },
  {
    rule: "turns.alone",
    name: "a claim gives all slots to a tenant if no other tenant has due work",
    check: async (store) => {
      const work = new Work(store);
      await work.add(30, { tenant: "a" });
      await work.add(1, { tenant: "b" });
      deepEqual(counts(await work.takeTenants(20)), { a: 19, b: 1 }, "the tenants of the first claim");
      deepEqual(counts(await work.takeTenants(20)), { a: 11 }, "the tenants of the second claim");
    },
  },
  {
    rule: "turns.oldest",
    name: "claims begin the oldest work of each tenant first",
    check: async (store, { unitMs, pass }) => {
      const work = new Work(store);
      const old = await work.add(3, { tenant: "b" });
      await pass(unitMs);
      await work.add(3, { tenant: "b" });
      await work.add(6, { tenant: "a" });
      const begun = [...(await work.take(4)), ...(await work.take(2))];
      const early = begun.filter(({ id }) => old.includes(id));
      equal(early.length, 3, "number of old operations of tenant b among its first three");
    },
  },
  {
    rule: "turns.urgent",
    name: "claims begin more urgent work first, of any tenant",
    check: async (store) => {
      const work = new Work(store);
      await work.add(10, { tenant: "a", urgency: 7 });
      await work.add(10, { tenant: "a" });
      // More than the share of one tenant, and less than that of the other.
      const urgent = [
        ...(await work.add(3, { tenant: "a", urgency: 0 })),
        ...(await work.add(1, { tenant: "b", urgency: 0 })),
      ];
      const first = (await work.take(4)).map(({ id }) => id);
      deepEqual([...first].sort(), [...urgent].sort(), "what the first claim begins");
      const next = (await work.take(12)).map(({ urgency = 3 }) => urgency).sort();
      deepEqual(next, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 7], "the urgencies of the second claim");
    },
  },
  {
    rule: "turns.later",
    name: "every claim begins due work, however many tenants have only work that is due later",
    check: async (store) => {
      const work = new Work(store);
      await work.addLater();
      await work.add(6, { tenant: "a" });
      await work.add(1, { tenant: "z" });
      for (let call = 1; call <= 3; call += 1)
        equal((await work.take(2)).length, 2, `how many claim ${call} begins`);
    },
  },
  {
    rule: "turns.reached",
    name: "claims soon give a turn to a tenant whom tenants with only later work precede",
    check: async (store) => {
      const work = new Work(store);
      await work.addLater();
      await work.add(60, { tenant: "flood" });
      await work.add(1, { tenant: "z" });
      const first: string[] = [];
      // If each claim passes at least 16 tenants without due work, five pass all of them, wherever the first one begins.
      for (let call = 0; call < 6; call += 1) first.push(...(await work.takeTenants(4)));
      deepEqual(counts(first), { flood: 23, z: 1 }, "the tenants of the first 24 attempts");
    },
  },
];

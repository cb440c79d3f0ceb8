import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import {
  begin,
  begins,
  COMPLETED,
  createPending,
  createPreparing,
  createWorking,
  LONG_MS,
  newOperation,
  type OperationStoreCheck,
  PREPARED,
} from "../fixtures.js";

/** Returns the pause that the statistics of a definition show. */
async function shownPause(store: OperationStore, definition = "orders"): Promise<unknown> {
  return (await store.stats({ definitions: [definition] }))[0]?.paused;
}

export const pauseChecks: readonly OperationStoreCheck[] = [
  {
    rule: "pause.stops",
    name: "begins no operation of a paused definition, and counts nothing",
    check: async (store, { unitMs, pass }) => {
      const before = await createPending(store);
      const lost = await createWorking(store, unitMs);
      const other = await createPending(store, { definition: "reports" });
      await store.pause("orders");
      await pass(unitMs);
      const after = await createPending(store);
      for (const id of [before.id, lost.operation.id, after.id])
        equal(await begins(store, id), false, "beginning an operation of a paused definition");
      equal(
        await begins(store, other.id, { name: "reports" }),
        true,
        "beginning an operation of another definition",
      );
      await store.resume("orders");
      equal((await begin(store, before.id)).operation.attempt, 1, "number of the first attempt");
    },
  },
  {
    rule: "pause.resumes",
    name: "begins operations again after the pause, also if both calls are repeated",
    check: async (store) => {
      const operation = await createPending(store);
      await store.resume("orders");
      await store.pause("orders");
      await store.pause("orders");
      await store.resume("orders");
      equal(await begins(store, operation.id), true, "beginning after the pause has ended");
      await store.resume("orders");
      await store.pause("orders");
      const later = await createPending(store);
      equal(await begins(store, later.id), false, "beginning during another pause");
    },
  },
  {
    rule: "pause.running",
    name: "lets attempts that have begun go on and end",
    check: async (store) => {
      const { lease } = await createWorking(store);
      await store.pause("orders");
      isOutcome(await store.renew(lease, { leaseMs: LONG_MS }), "renewed", "renewing its lease");
      const ended = isOutcome(await store.settle(lease, COMPLETED), "settled", "settling it");
      equal(ended.state, "completed", "state of the operation");
    },
  },
  {
    rule: "pause.accepts",
    name: "creates, prepares and cancels operations of a paused definition",
    check: async (store, { unitMs, pass }) => {
      await store.pause("orders");
      equal(await store.create(newOperation()), "created", "creating an operation");
      const { operation, lease } = await createPreparing(store, LONG_MS);
      isOutcome(await store.settle(lease, PREPARED), "settled", "settling a preparing operation");
      equal(await begins(store, operation.id), false, "beginning it once it is pending");
      const left = await createPreparing(store, unitMs);
      await pass(unitMs);
      equal(await begins(store, left.operation.id), true, "beginning an operation that is preparing");
      equal(
        await store.requestCancel(operation.id, operation.tenant),
        "cancelled",
        "cancelling an operation",
      );
    },
  },
  {
    rule: "pause.shown",
    name: "shows since when and by whom a definition is paused. The first pause counts",
    check: async (store, { unitMs, pass }) => {
      equal(await shownPause(store), undefined, "pause of a definition that is not paused");
      await store.pause("orders", "ann");
      const shown = await shownPause(store);
      deepEqual(shown, { ...(shown as object), by: "ann" }, "the pause");
      equal(typeof (shown as { readonly since?: unknown }).since, "number", "type of `since`");
      await pass(unitMs);
      await store.pause("orders", "bob");
      deepEqual(await shownPause(store), shown, "the pause after another call");
      equal(await shownPause(store, "reports"), undefined, "pause of another definition");
      await store.pause("reports");
      const { by, since } = (await shownPause(store, "reports")) as Record<string, unknown>;
      equal(by, undefined, "who paused a definition without saying so");
      equal(
        Number(since) - Number((shown as { readonly since: number }).since) >= unitMs,
        true,
        "`since` moves",
      );
      await store.resume("orders");
      equal(await shownPause(store), undefined, "pause of a definition that was resumed");
    },
  },
];

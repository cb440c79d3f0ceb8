import type { Lease, OperationStore } from "../../../../ports/operation-store.js";
import { ok } from "../../../expect.js";
import type { PortTime } from "../../port-case.js";
import {
  begin,
  COMPLETED,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  GIVEN_BACK,
  LONG_MS,
  type OperationStoreCheck,
  PREPARED,
} from "../fixtures.js";

/** Watches a store. `sees` makes a change and waits until the operation is reported. */
function startWatching(store: OperationStore, { unitMs, pass }: PortTime) {
  let seen: string[] = [];
  const stop = store.watch?.((id) => void (id !== undefined && seen.push(id)));
  if (stop === undefined)
    throw new Error(
      "The harness declares `watch`, but the store has no such method. Implement it or remove the capability.",
    );
  const changes = async (change: () => Promise<string>): Promise<boolean> => {
    seen = [];
    const id = await change();
    for (let waited = 0; waited < 10 && !seen.includes(id); waited += 1) await pass(unitMs);
    return seen.includes(id);
  };
  const sees = async (what: string, change: () => Promise<string>): Promise<void> => {
    ok(await changes(change), `expected the watcher to learn of an operation that ${what}`);
  };
  return { stop, changes, sees };
}

export const watchChecks: readonly OperationStoreCheck[] = [
  {
    rule: "watch.visible",
    name: "notifies a watcher of operations that become visible",
    needs: ["watch"],
    check: async (store, time) => {
      const { sees, stop } = startWatching(store, time);
      await sees("is created", async () => (await createPending(store)).id);
      const { operation, lease } = await createPreparing(store, LONG_MS);
      await sees("is prepared", async () => {
        await store.settle(lease, PREPARED);
        return operation.id;
      });
      stop();
    },
  },
  {
    rule: "watch.progress",
    name: "notifies a watcher of progress",
    needs: ["watch"],
    check: async (store, time) => {
      const { operation, lease } = await createWorking(store);
      const { sees, stop } = startWatching(store, time);
      for (const progress of ["1", "2"]) {
        await sees("progresses", async () => {
          await store.renew(lease, { leaseMs: LONG_MS, progress });
          return operation.id;
        });
      }
      stop();
    },
  },
  {
    rule: "watch.attempt",
    name: "notifies a watcher of attempts, released attempts and requested cancellations",
    needs: ["watch"],
    check: async (store, time) => {
      const { id, tenant } = await createPending(store);
      const { sees, stop } = startWatching(store, time);
      const beginNow = async (): Promise<Lease> => (await begin(store, id)).lease;
      let lease = { operationId: id, token: "" };
      await sees("begins", async () => {
        lease = await beginNow();
        return id;
      });
      await sees("is released", async () => {
        await store.settle(lease, GIVEN_BACK);
        return id;
      });
      await sees("begins again", async () => {
        await beginNow();
        return id;
      });
      await sees("is to be cancelled", async () => {
        await store.requestCancel(id, tenant);
        return id;
      });
      stop();
    },
  },
  {
    rule: "watch.terminal",
    name: "notifies every watcher of operations that end, with any outcome",
    needs: ["watch"],
    check: async (store, time) => {
      const watchers = [startWatching(store, time), startWatching(store, time)];
      for (const { sees } of watchers) {
        for (const ending of [COMPLETED, FAILED]) {
          const { id } = await createPending(store);
          const { lease } = await begin(store, id);
          await sees(`is ${ending.to}`, async () => {
            await store.settle(lease, ending);
            return id;
          });
        }
        const { id, tenant } = await createPending(store);
        await sees("is cancelled", async () => {
          await store.requestCancel(id, tenant);
          return id;
        });
      }
      for (const { stop } of watchers) stop();
    },
  },
  {
    rule: "watch.stopped",
    name: "stops notifying a watcher after it was stopped, but not the others",
    needs: ["watch"],
    check: async (store, time) => {
      const stopped = startWatching(store, time);
      const other = startWatching(store, time);
      stopped.stop();
      stopped.stop();
      ok(
        !(await stopped.changes(async () => (await createPending(store)).id)),
        "expected no notification for the stopped watcher",
      );
      await other.sees("is created", async () => (await createPending(store)).id);
      other.stop();
    },
  },
];

import type { OperationStore } from "../../../ports/operation-store.js";
import { ok } from "../../expect.js";
import type { PortTime } from "../port-case.js";
import {
  begin,
  COMPLETED,
  createPending,
  createPreparing,
  createWorking,
  FAILED,
  LONG_MS,
  type OperationStoreCheck,
  PREPARED,
} from "./fixtures.js";

/** Watches a store. `sees` runs a change and waits until the operation was reported. */
function startWatching(store: OperationStore, { unitMs, pass }: PortTime) {
  let seen: string[] = [];
  const stop = store.watch?.((operationId) => void seen.push(operationId));
  if (stop === undefined) throw new Error("a store whose harness says `watch` must have it");
  const changes = async (change: () => Promise<string>): Promise<boolean> => {
    seen = [];
    const id = await change();
    for (let waited = 0; waited < 10 && !seen.includes(id); waited += 1) await pass(unitMs);
    return seen.includes(id);
  };
  const sees = async (what: string, change: () => Promise<string>): Promise<void> => {
    ok(await changes(change), `the watcher is told of an operation that ${what}`);
  };
  return { stop, changes, sees };
}

export const watchChecks: readonly OperationStoreCheck[] = [
  {
    rule: "watch.visible",
    name: "tells a watcher of operations that become visible",
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
    name: "tells a watcher of progress",
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
    rule: "watch.terminal",
    name: "tells every watcher of operations that end, whichever way",
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
    name: "tells a watcher nothing after it was stopped, and goes on telling the others",
    needs: ["watch"],
    check: async (store, time) => {
      const stopped = startWatching(store, time);
      const other = startWatching(store, time);
      stopped.stop();
      stopped.stop();
      ok(
        !(await stopped.changes(async () => (await createPending(store)).id)),
        "the watcher is told nothing",
      );
      await other.sees("is created", async () => (await createPending(store)).id);
      other.stop();
    },
  },
];

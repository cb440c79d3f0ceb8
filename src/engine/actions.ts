import {
  ACTIONS_KEPT_MS,
  type ActionsRequest,
  type ActionsStore,
  type RecordedAction,
} from "../ports/actions-store.js";
import type { Driver } from "./driver.js";

/** Queries of actions. All are synchronous. */
export interface ActionsTable {
  now(): number;
  /** Inserts an action, or replaces the facts of the one with its id. */
  save(action: RecordedAction): void;
  /** Returns actions as the store does. */
  list(request: ActionsRequest): readonly RecordedAction[];
  /** Deletes actions before a time, the oldest first. Returns how many it deleted, at most `limit`. */
  removeBefore(time: number, limit: number): number;
}

/** Creates the store of actions of a table. */
export function createActionsStore(driver: Driver, table: ActionsTable): ActionsStore {
  return {
    record: (action) => driver.write("work", () => table.save({ ...action, at: table.now() })),
    list: (request) => driver.read(() => table.list(request)),
    purge: async ({ limit }) => {
      const keptFrom = (): number => table.now() - ACTIONS_KEPT_MS;
      // A read needs no lock, so that idle processes do not delay the writers.
      const isDone = await driver.read(() => table.list({ to: keptFrom(), limit: 1 }).length === 0);
      if (isDone) return 0;
      return driver.write("work", () => table.removeBefore(keptFrom(), limit), { canBeLost: true });
    },
  };
}

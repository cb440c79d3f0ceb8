import { isTerminal } from "../../contract/operation.js";
import { forget } from "../../engine/purge.js";
import type { SeparateOperationStore } from "../../ports/separate-operation-store.js";
import { type MemoryTable, toExpired } from "./table.js";

/** Creates the methods of a store whose keys another store keeps. */
export function createRemoval(table: MemoryTable): Pick<SeparateOperationStore, "takeExpired" | "remove"> {
  const { entries } = table;
  const { retention } = entries;
  const withoutKeys: MemoryTable = { ...table, delete: (entry) => entries.delete(entry) };

  return {
    takeExpired: async ({ limit }) => {
      const now = table.now();
      for (const entry of retention.takeLeaving(now))
        if (!table.isKept(entry)) forget(withoutKeys, toExpired(entry));
      const expired = retention.takeExpired(now, limit, table.isKept);
      for (const entry of expired) retention.handedOut(entry, now);
      return expired.map(({ operation }) => operation);
    },
    remove: async (ids, { afterMs }) => {
      for (const id of ids) {
        const entry = entries.find(id);
        if (entry === undefined || !isTerminal(entry.operation.state) || table.isKept(entry)) continue;
        retention.leave(entry, table.now(), afterMs);
      }
    },
  };
}

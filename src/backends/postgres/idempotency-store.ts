import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import { text, toBinding } from "../shared/row.js";
import type { Gateway } from "./calls/gateway.js";

const REPEATABLE = { repeatable: true };

/** Creates a store that keeps bindings in the table of operations, so a key is unique across bindings and operations. */
export function createPostgresIdempotencyStore(gateway: Gateway<unknown>): IdempotencyStore {
  return {
    bind: async ({ tenant, definition, key, fingerprint, operationId }) => {
      const values = [tenant, definition, key, fingerprint, operationId];
      const [row = {}] = await gateway.call("bind_v1", values, REPEATABLE);
      const owner = text(row, "operation_id");
      if (owner === operationId) return { outcome: "bound" };
      return { outcome: "exists", operationId: owner, fingerprint: text(row, "fingerprint") };
    },
    find: async ({ tenant, definition, key }) => {
      const [row] = await gateway.call("find_key_v1", [tenant, definition, key], REPEATABLE);
      return row && { operationId: text(row, "operation_id"), fingerprint: text(row, "fingerprint") };
    },
    release: async ({ tenant, definition, key, operationId }) => {
      await gateway.call("release_v1", [tenant, definition, key, operationId], REPEATABLE);
    },
    takeStale: async ({ olderThanMs, limit }) => {
      const rows = await gateway.call("take_stale_v1", [olderThanMs, limit]);
      return rows.map(toBinding);
    },
  };
}

import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import type { Runtime } from "../../ports/runtime.js";
import { toBinding } from "../shared/row.js";
import type { Connection } from "./connection/connection.js";
import type { Statements } from "./connection/statements.js";
import { findHolder, hashKey, releaseKey } from "./records/keys.js";

/** Options of {@link createSqliteIdempotencyStore}. */
export interface IdempotencyStoreOptions {
  readonly connection: Connection;
  readonly statements: Statements;
  readonly hash: Runtime["hash"];
  /** Returns the time of the store's clock. Epoch milliseconds. */
  readonly now: () => number;
}

/** Creates a store that keeps bindings in a table. A key is unique across bindings and operations. */
export function createSqliteIdempotencyStore(options: IdempotencyStoreOptions): IdempotencyStore {
  const { connection, statements, hash, now } = options;
  return {
    bind: async (binding) => {
      const { tenant, definition, key, fingerprint, operationId } = binding;
      const hashed = await hashKey(binding, hash);
      return connection.write("submissions", () => {
        const holder = findHolder(statements, hashed);
        if (holder === undefined) {
          statements.run(
            `insert into arr_keys (key_hash, tenant, definition, key, fingerprint, operation_id, bound_at)
             values (?, ?, ?, ?, ?, ?, ?)`,
            ...[hashed.hash, tenant, definition, key, fingerprint, operationId, now()],
          );
          return { outcome: "bound" };
        }
        if (holder.operationId === operationId) return { outcome: "bound" };
        return { outcome: "exists", operationId: holder.operationId, fingerprint: holder.fingerprint };
      });
    },
    find: async (reference) => {
      const hashed = await hashKey(reference, hash);
      return connection.read(() => findHolder(statements, hashed));
    },
    release: async (owner) => {
      const hashed = await hashKey(owner, hash);
      await connection.write("work", () => releaseKey(statements, hashed, owner.operationId));
    },
    takeStale: ({ olderThanMs, limit }) =>
      connection.write(
        "work",
        () => {
          const time = now();
          const rows = statements.all(
            "select * from arr_keys where bound_at <= ? order by bound_at, seq limit ?",
            time - olderThanMs,
            limit,
          );
          for (const { seq } of rows)
            statements.run("update arr_keys set bound_at = ? where seq = ?", time, Number(seq));
          return rows.map(toBinding);
        },
        { canBeLost: true },
      ),
  };
}

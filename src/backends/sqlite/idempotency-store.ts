import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import type { Runtime } from "../../ports/runtime.js";
import { toClaim } from "../shared/row.js";
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

/** Creates a store that keeps claims in a table. A key is unique across claims and operations. */
export function createSqliteIdempotencyStore(options: IdempotencyStoreOptions): IdempotencyStore {
  const { connection, statements, hash, now } = options;
  return {
    claim: async (claim) => {
      const { tenant, definition, key, fingerprint, operationId } = claim;
      const hashed = await hashKey(claim, hash);
      return connection.write("submissions", () => {
        const holder = findHolder(statements, hashed);
        if (holder === undefined) {
          statements.run(
            `insert into arr_claims (key_hash, tenant, definition, key, fingerprint, operation_id, claimed_at)
             values (?, ?, ?, ?, ?, ?, ?)`,
            ...[hashed.hash, tenant, definition, key, fingerprint, operationId, now()],
          );
          return { outcome: "claimed" };
        }
        if (holder.operationId === operationId) return { outcome: "claimed" };
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
            "select * from arr_claims where claimed_at <= ? order by claimed_at, seq limit ?",
            time - olderThanMs,
            limit,
          );
          for (const { seq } of rows)
            statements.run("update arr_claims set claimed_at = ? where seq = ?", time, Number(seq));
          return rows.map(toClaim);
        },
        { canBeLost: true },
      ),
  };
}

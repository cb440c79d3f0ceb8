import type { Operation } from "../../contract/operation.js";
import type { RecordResult, Submission, Submissions } from "../../ports/backend.js";
import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { Runtime } from "../../ports/runtime.js";
import { type Row, text } from "../rows/row.js";
import type { Changed, Connection } from "./connection/connection.js";
import type { Statements } from "./connection/statements.js";
import { deleteRemoved, findExpired } from "./records/expiry.js";
import { findHolder, type HashedKey, hashKey } from "./records/keys.js";
import type { Records } from "./records/records.js";

/** Options of {@link createSqliteSubmissions}. */
export interface SubmissionsOptions {
  readonly connection: Connection;
  readonly statements: Statements;
  readonly records: Records;
  readonly operations: OperationStore;
  readonly idempotency: IdempotencyStore;
  readonly hash: Runtime["hash"];
}

/** Number of operations that a transaction purges, so that it does not block the event loop for long. */
const PURGED_AT_ONCE = 50;

/** Creates submissions that record a key and its operation in one row. Concurrent submissions share a commit. */
export function createSqliteSubmissions(options: SubmissionsOptions): Submissions<never> {
  const { connection, statements, records, operations, idempotency, hash } = options;

  function record(submission: Submission, key: HashedKey | undefined, changed: Changed): RecordResult {
    const { operation, fingerprint, initial } = submission;
    if (records.has(operation.id)) return existing(operation.id, key, fingerprint) ?? { outcome: "created" };
    const holder = key && findHolder(statements, key);
    if (holder === undefined) {
      records.create(operation, initial, changed, key && { hash: key.hash, fingerprint });
      return { outcome: "created" };
    }
    // A caller that uses the stores separately may have stopped after the claim. This completes its submission.
    if (holder.isClaim && holder.fingerprint === fingerprint && !records.has(holder.operationId))
      records.create({ ...operation, id: holder.operationId }, initial, changed);
    return (
      answer(holder.operationId, holder.fingerprint) ?? {
        outcome: "in-progress",
        fingerprint: holder.fingerprint,
      }
    );
  }

  /** Returns the operation that holds the key, if the id of a submission exists and another operation has its key. */
  function existing(id: string, key: HashedKey | undefined, fingerprint: string): RecordResult | undefined {
    const holder = key && findHolder(statements, key);
    if (holder === undefined || holder.operationId === id) return undefined;
    return answer(holder.operationId, holder.fingerprint) ?? { outcome: "in-progress", fingerprint };
  }

  function answer(id: string, fingerprint: string): RecordResult | undefined {
    const operation: Operation | undefined = records.find(id)?.operation;
    return operation && { outcome: "exists", operation, fingerprint };
  }

  function purgeSome(limit: number): number {
    deleteRemoved(statements, records);
    const rows = findExpired(statements, records.now(), limit);
    for (const row of rows) {
      records.delete(row);
      if (row.key !== null && row.key_hash === null) deleteClaim(row);
    }
    return rows.length;
  }

  function deleteClaim(row: Row): void {
    statements.run("delete from arr_claims where operation_id = ?", text(row, "id"));
  }

  return {
    operations,
    idempotency,
    record: async (submission) => {
      const { tenant, definition, key, input, meta = "" } = submission.operation;
      const hashed = key === undefined ? undefined : await hashKey({ tenant, definition, key }, hash);
      const bytes = input.length + meta.length;
      return connection.write("submissions", (changed) => record(submission, hashed, changed), { bytes });
    },
    purge: async ({ limit }) => {
      let purged = 0;
      for (let more = true; more && purged < limit; ) {
        const share = Math.min(PURGED_AT_ONCE, limit - purged);
        const count = await connection.write("work", () => purgeSome(share), { canBeLost: true });
        purged += count;
        more = count === share;
      }
      return purged;
    },
  };
}

import type { Submissions } from "../../ports/backend.js";
import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { Runtime } from "../../ports/runtime.js";
import type { Sync, SynchronousTransactions } from "../../ports/synchronous.js";
import { type Row, text } from "../shared/row.js";
import type { Connection } from "./connection/connection.js";
import type { Statements } from "./connection/statements.js";
import { hashKey } from "./records/keys.js";
import type { Recorder } from "./records/record-in.js";
import type { Records } from "./records/records.js";
import { deleteRemoved, findExpired } from "./records/records.js";

/** Options of {@link createSqliteSubmissions}. */
export interface SubmissionsOptions {
  readonly connection: Connection;
  readonly statements: Statements;
  readonly records: Records;
  readonly recorder: Recorder;
  readonly synchronous: SynchronousTransactions;
  readonly operations: OperationStore;
  readonly idempotency: IdempotencyStore;
  readonly hash: Runtime["hash"];
}

/** Number of operations that a transaction purges, so that it does not block the event loop for long. */
const PURGED_AT_ONCE = 50;

/** Creates submissions that record a key and its operation in one row. Concurrent submissions share a commit. */
export function createSqliteSubmissions<Database>(options: SubmissionsOptions): Submissions<Sync<Database>> {
  const { connection, statements, records, recorder, operations, idempotency, hash } = options;

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
    synchronous: options.synchronous,
    record: async (submission) => {
      const { tenant, definition, key, input, meta = "" } = submission.operation;
      const hashed = key === undefined ? undefined : await hashKey({ tenant, definition, key }, hash);
      const bytes = input.length + meta.length;
      return connection.write("submissions", (changed) => recorder.record(submission, hashed, changed), {
        bytes,
      });
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

import type { Driver } from "../../engine/driver.js";
import { purge } from "../../engine/purge.js";
import { record } from "../../engine/record.js";
import type { Submissions } from "../../ports/backend.js";
import type { Runtime } from "../../ports/runtime.js";
import type { RecordManyResult, RecordResult, Submission } from "../../ports/submission.js";
import type { Sync, SynchronousTransactions } from "../../ports/synchronous.js";
import type { Statements } from "./connection/statements.js";
import { toStoreError } from "./connection/store-error.js";
import { type HashedKey, hashKey } from "./records/keys.js";
import type { SqliteTable } from "./records/table.js";

/** Options of {@link createSqliteSubmissions}. */
export interface SubmissionsOptions {
  readonly connection: Driver;
  readonly statements: Statements;
  readonly table: SqliteTable;
  readonly synchronous: SynchronousTransactions;
  readonly hash: Runtime["hash"];
}

/** Number of operations that a transaction purges, so that it does not block the event loop for long. */
const PURGED_AT_ONCE = 50;

/** Creates submissions that record a key and its operation in one row. Concurrent submissions share a commit. */
export function createSqliteSubmissions<Database>(options: SubmissionsOptions): Submissions<Sync<Database>> {
  const { connection, statements, table, hash } = options;

  const hashOf = async ({ operation }: Submission): Promise<HashedKey | undefined> => {
    const { tenant, definition, key } = operation;
    return key === undefined ? undefined : hashKey({ tenant, definition, key }, hash);
  };

  /** Records a submission, or refuses it alone if it cannot be stored. */
  function recordApart(submission: Submission, key: HashedKey | undefined): RecordManyResult {
    try {
      return statements.nested(() => record(table, submission, key));
    } catch (thrown) {
      const error = toStoreError(thrown, "no");
      // After other errors, SQLite may have rolled the whole transaction back.
      if (error.code !== "INTERNAL") throw thrown;
      return { outcome: "refused", error };
    }
  }

  return {
    synchronous: options.synchronous,
    record: async (submission) => {
      const hashed = await hashOf(submission);
      const job = (): RecordResult => record(table, submission, hashed);
      return connection.write("submissions", job, { bytes: bytesOf(submission) });
    },
    recordMany: async (submissions) => {
      const hashes = await Promise.all(submissions.map(hashOf));
      const bytes = submissions.reduce((sum, each) => sum + bytesOf(each), 0);
      const write = (recordOne: typeof recordApart): Promise<readonly RecordManyResult[]> => {
        const all = (): readonly RecordManyResult[] =>
          submissions.map((each, index) => recordOne(each, hashes[index]));
        return connection.write("submissions", all, { bytes });
      };
      // Savepoints would take as long as the inserts, and nearly always, none is needed.
      return write((each, key) => record(table, each, key)).catch((error: unknown) => {
        if (toStoreError(error).code === "INTERNAL") return write(recordApart);
        throw error;
      });
    },
    findKey: async (reference) => {
      const hashed = await hashKey(reference, hash);
      return connection.read(() => table.holderOf(hashed));
    },
    purge: async ({ limit }) => {
      let purged = 0;
      for (let more = true; more && purged < limit; ) {
        const share = Math.min(PURGED_AT_ONCE, limit - purged);
        const count = await connection.write("work", () => purge(table, share), { canBeLost: true });
        purged += count;
        more = count === share;
      }
      return purged;
    },
  };
}

/** Returns how much a submission adds to the size of a transaction. */
function bytesOf({ operation: { input, meta = "" } }: Submission): number {
  return input.length + meta.length;
}

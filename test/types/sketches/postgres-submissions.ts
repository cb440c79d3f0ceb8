import type {
  IdempotencyStore,
  OperationStore,
  RecordResult,
  Submission,
  Submissions,
  Transactions,
} from "async-request-reply";
import { createPostgresOperationStore } from "./postgres-operation-store.js";
import { type InTransaction, type SqlClient, text, toOperation } from "./sql.js";

const RECORD = `
  insert into operations (id, scope, definition, input, key, hidden, fingerprint, state, token, lease_ends_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + $10 * interval '1 ms')
  on conflict (scope, definition, key) do update set key = excluded.key returning *`;

/** One statement: the row is the key and the operation. */
async function recordWith(client: SqlClient, submission: Submission): Promise<RecordResult> {
  const { operation, fingerprint, initial } = submission;
  const { id, scope, definition, input, key, hidden } = operation;
  const state = initial?.state ?? "pending";
  const values = [id, scope, definition, input, key, hidden ?? false, fingerprint, state];
  const { rows } = await client.query(RECORD, [...values, initial?.token, initial?.leaseMs]);
  const [row = {}] = rows;
  if (text(row, "id") === id) return { outcome: "created" };
  return { outcome: "exists", operation: toOperation(row), fingerprint: text(row, "fingerprint") };
}

class Rollback extends Error {}

/** The user's writes and ours on one connection. */
function createTransactions(inTransaction: InTransaction): Transactions<SqlClient> {
  return {
    record: (submission, create) =>
      inTransaction(async (tx) => {
        const recorded = await recordWith(tx, submission);
        if (recorded.outcome === "created") {
          const { id } = submission.operation;
          await tx.query("update operations set resource = $2 where id = $1", [id, await create(tx)]);
        }
        return recorded;
      }),
    settle: async (lease, work) => {
      try {
        return await inTransaction(async (tx) => {
          const settled = await createPostgresOperationStore(tx).settle(lease, await work(tx));
          if (settled.outcome === "lost") throw new Rollback();
          return settled;
        });
      } catch (error) {
        if (error instanceof Rollback) return { outcome: "lost" };
        throw error;
      }
    },
  };
}

export function createPostgresSubmissions(
  client: SqlClient,
  inTransaction: InTransaction,
  stores: { readonly operations: OperationStore; readonly idempotency: IdempotencyStore },
): Submissions<SqlClient> {
  return {
    ...stores,
    record: (submission) => recordWith(client, submission),
    purge: async ({ retentionMs, limit }) => {
      const { rows } = await client.query(
        `delete from operations where id in (select id from operations
           where settled_at <= now() - $1 * interval '1 ms' order by settled_at for update skip locked limit $2)
         returning id`,
        [retentionMs, limit],
      );
      return rows.length;
    },
    transactions: createTransactions(inTransaction),
  };
}

import type { SqlResult } from "../connection/sql-database.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";

/** Members of Kysely that {@link fromKysely} uses. */
export interface KyselyLike<Tx> {
  /** Begins a transaction. */
  transaction(): {
    execute<Result>(run: (trx: Tx) => Promise<Result>): Promise<Result>;
  };
}

/** Members of a transaction of Kysely. */
export interface KyselyTransaction {
  readonly isTransaction: boolean;
  withoutPlugins(): { executeQuery(query: never): Promise<SqlResult> };
}

/** Uses transactions of Kysely, for `createPostgresBackend({ pool, transactions })`. */
export function fromKysely<Tx extends KyselyTransaction>(db: KyselyLike<Tx>): SqlTransactions<Tx> {
  return {
    begin: (run) => db.transaction().execute(run),
    // Plugins could rename columns.
    query: (trx, { text, values = [] }) => trx.withoutPlugins().executeQuery(compiled(text, values) as never),
    isTransaction: (value) => (value as Partial<KyselyTransaction>).isTransaction === true,
    example: "the `trx` of `db.transaction().execute(async (trx) => …)`",
  };
}

/** A query as `CompiledQuery.raw` of Kysely returns it. */
function compiled(sql: string, parameters: readonly unknown[]): object {
  const query = { kind: "RawNode", sqlFragments: [sql], parameters: [] };
  return { query, queryId: { queryId: crypto.randomUUID() }, sql, parameters };
}

import { checkLibrary } from "../connection/check-library.js";
import type { SqlResult, SqlStatement } from "../connection/sql-database.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";
import { transactionOver } from "./transaction-over.js";

/** Members of Kysely that {@link fromKysely} uses. */
export interface KyselyLike<Tx> {
  /** Builds a transaction. */
  transaction(): {
    /** Runs a function in the transaction. */
    execute<Result>(run: (trx: Tx) => Promise<Result>): Promise<Result>;
  };
}

/** Members of a transaction of Kysely, also of a controlled one. */
export interface KyselyTransaction {
  /** True. */
  readonly isTransaction: boolean;
  /** Returns it without the plugins, which could rename columns. */
  withoutPlugins(): {
    /** Runs a compiled query. */
    readonly executeQuery: (query: never) => Promise<SqlResult>;
  };
}

/**
 * Uses transactions of Kysely, for `createPostgresBackend({ pool, transactions })`.
 *
 * Throws `INVALID_OPTION`.
 */
export function fromKysely<Tx extends KyselyTransaction>(db: KyselyLike<Tx>): SqlTransactions<Tx> {
  checkLibrary("fromKysely", db, "an instance of Kysely, such as `new Kysely({ dialect })`", "transaction");
  return {
    begin: (run) => db.transaction().execute(run),
    query: queryKysely,
    isTransaction: (value) => (value as Partial<KyselyTransaction>).isTransaction === true,
    example: "the `trx` of `db.transaction().execute(async (trx) => …)`",
  };
}

/** Runs a statement in a transaction of Kysely, without plugins, which could rename columns. */
export async function queryKysely(trx: KyselyTransaction, statement: SqlStatement): Promise<SqlResult> {
  const { text: sql, values: parameters = [] } = statement;
  const query = { kind: "RawNode", sqlFragments: [sql], parameters: [] };
  const compiled = { sql, parameters, query, queryId: { queryId: crypto.randomUUID() } };
  try {
    return await trx.withoutPlugins().executeQuery(compiled as never);
  } catch (error) {
    // Kysely has no other sign for it that all kinds of transactions share.
    if (error instanceof Error && /^Transaction is already (committed|rolled back)$/.test(error.message))
      throw transactionOver(error);
    throw error;
  }
}

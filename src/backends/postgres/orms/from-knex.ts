import { checkLibrary } from "../connection/check-library.js";
import type { SqlClient } from "../connection/sql-database.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";
import { transactionOver } from "./transaction-over.js";

/** Members of Knex that {@link fromKnex} uses. */
export interface KnexLike<Tx> {
  /** Runs a function in a transaction. */
  transaction<Result>(run: (trx: Tx) => Promise<Result>): Promise<Result>;
}

/** Members of a transaction of Knex. */
export interface KnexTransaction {
  /** True. */
  readonly isTransaction?: boolean;
  /** Returns whether it has ended. */
  isCompleted(): boolean;
  /** Client of Knex in the transaction. */
  readonly client: {
    /** Resolves to the connection. */
    readonly acquireConnection: () => Promise<Pick<SqlClient, "query">>;
  };
}

/**
 * Uses transactions of Knex, for `createPostgresBackend({ pool, transactions })`.
 *
 * Throws `INVALID_OPTION`.
 */
export function fromKnex<Tx extends KnexTransaction>(knex: KnexLike<Tx>): SqlTransactions<Tx> {
  checkLibrary(
    "fromKnex",
    knex,
    'an instance of Knex, such as `knex({ client: "pg", connection })`',
    "transaction",
  );
  return {
    begin: (run) => knex.transaction(run),
    // `raw` would read `?` instead of `$1`, and pass the rows to `postProcessResponse`.
    query: async (trx, statement) => {
      const connection = await trx.client.acquireConnection();
      // Another transaction may have the connection by now.
      if (trx.isCompleted()) throw transactionOver();
      return connection.query(statement);
    },
    isTransaction: (value) => (value as Partial<KnexTransaction>).isTransaction === true,
    example: "the `trx` of `knex.transaction(async (trx) => …)`",
  };
}

import { checkLibrary } from "../connection/check-library.js";
import type { SqlClient } from "../connection/sql-database.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";
import { transactionOver } from "./transaction-over.js";

/** Members of a `DataSource` of TypeORM that {@link fromTypeOrm} uses. */
export interface TypeOrmLike<Tx> {
  /** Says what type a transaction has. That of an overloaded function cannot be inferred. */
  readonly manager: Tx;
  /** Runs a function in a transaction. */
  transaction<Result>(run: (manager: Tx) => Promise<Result>): Promise<Result>;
}

/** Members of an `EntityManager` of TypeORM. */
export interface TypeOrmManager {
  /** Absent outside of a transaction. */
  readonly queryRunner?:
    | {
        readonly isTransactionActive: boolean;
        /** Resolves to the connection. */
        readonly connect: () => Promise<Pick<SqlClient, "query">>;
      }
    | undefined;
}

/**
 * Uses transactions of TypeORM, for `createPostgresBackend({ pool, transactions })`.
 *
 * Throws `INVALID_OPTION`.
 */
export function fromTypeOrm<Tx extends TypeOrmManager>(dataSource: TypeOrmLike<Tx>): SqlTransactions<Tx> {
  checkLibrary(
    "fromTypeOrm",
    dataSource,
    'a `DataSource` of TypeORM, such as `new DataSource({ type: "postgres", url })`',
    "transaction",
  );
  return {
    begin: (run) => dataSource.transaction(run),
    // The connection itself, because `query` would show the input of operations to loggers and subscribers.
    query: async ({ queryRunner }, statement) => {
      const connection = await queryRunner?.connect();
      // Another transaction may have the connection by now.
      if (queryRunner?.isTransactionActive !== true || connection === undefined) throw transactionOver();
      return connection.query(statement);
    },
    isTransaction: (value) => (value as TypeOrmManager).queryRunner !== undefined,
    example: "the `manager` of `dataSource.transaction(async (manager) => …)`",
  };
}

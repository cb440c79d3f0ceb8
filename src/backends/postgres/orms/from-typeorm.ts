import type { SqlResult } from "../connection/sql-database.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";

/** Members of a `DataSource` of TypeORM that {@link fromTypeOrm} uses. */
export interface TypeOrmLike<Tx> {
  readonly manager: Tx;
  /** Runs a function in a transaction. */
  transaction<Result>(run: (manager: Tx) => Promise<Result>): Promise<Result>;
}

/** Members of an `EntityManager` of TypeORM. */
export interface TypeOrmManager {
  readonly queryRunner?: { readonly isTransactionActive: boolean } | undefined;
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/** Uses transactions of TypeORM, for `createPostgresBackend({ pool, transactions })`. */
export function fromTypeOrm<Tx extends TypeOrmManager>(dataSource: TypeOrmLike<Tx>): SqlTransactions<Tx> {
  return {
    begin: (run) => dataSource.transaction(run),
    query: async (manager, { text, values }) => ({
      rows: (await manager.query(text, values)) as SqlResult["rows"],
    }),
    isTransaction: (value) => (value as Partial<TypeOrmManager>).queryRunner?.isTransactionActive === true,
    example: "the `manager` of `dataSource.transaction(async (manager) => …)`",
  };
}

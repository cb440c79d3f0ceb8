import type { SqlResult, SqlStatement } from "./sql-database.js";

/**
 * Transactions of another library on the same database, such as an ORM. Its transaction object becomes the `tx` of
 * `service.submit`, `create` and `job.transaction`. The database role must be that of the pool.
 */
export interface SqlTransactions<Tx> {
  /**
   * Runs a function in a transaction. Commits after its promise resolves. If the promise rejects, rolls back and
   * rejects.
   */
  begin<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Runs a statement in an open transaction. Rejects with the driver's error, or an error that has it as `cause`. If the
   * transaction has ended, sends nothing, or lets the server refuse it. The `code` of the error is then "25P01".
   */
  query(tx: Tx, statement: SqlStatement): Promise<SqlResult>;
  /**
   * Makes all later statements of a transaction fail, and returns whether it can. Called if the attempt is aborted while
   * its function may still run. Without it, the server ends the connection of the transaction.
   */
  seal?(tx: Tx): boolean;
  /** Whether a value is a transaction of the library, and not its database object. Default: any object is. */
  isTransaction?(value: object): boolean;
  /** How to get a transaction, for messages about a wrong `tx`. Default: a sentence that suits any library. */
  readonly example?: string;
}

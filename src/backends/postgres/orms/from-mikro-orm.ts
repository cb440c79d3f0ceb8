import { checkLibrary } from "../connection/check-library.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";
import { type KyselyTransaction, queryKysely } from "./from-kysely.js";
import { transactionOver } from "./transaction-over.js";

/** Members of an `EntityManager` of MikroORM 7 that {@link fromMikroOrm} uses. */
export interface MikroOrmLike {
  /** Returns an `EntityManager` with an empty identity map, in no transaction. */
  fork(): this;
  /** Runs a function in a transaction, with an `EntityManager` for it. */
  transactional<Result>(run: (em: this) => Promise<Result>): Promise<Result>;
  /** Returns the transaction of Kysely. */
  getTransactionContext(): unknown;
}

/**
 * Uses transactions of MikroORM 7, for `createPostgresBackend({ pool, transactions })`. Each has an identity map of its
 * own.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param em such as `orm.em`
 */
export function fromMikroOrm<Em extends MikroOrmLike>(em: Em): SqlTransactions<Em> {
  checkLibrary(
    "fromMikroOrm",
    em,
    "an `EntityManager` of MikroORM, such as `orm.em`",
    "fork",
    "transactional",
  );
  return {
    // A fork is in no transaction, and its entities do not stay in the identity map of `em`.
    begin: (run) => em.fork().transactional(run),
    query: async (tx, statement) => {
      const trx = tx.getTransactionContext();
      if (trx === undefined) throw transactionOver();
      return queryKysely(trx as KyselyTransaction, statement);
    },
    isTransaction: (value) => (value as Partial<MikroOrmLike>).getTransactionContext?.() !== undefined,
    example: "the `em` of `orm.em.transactional(async (em) => …)`",
  };
}

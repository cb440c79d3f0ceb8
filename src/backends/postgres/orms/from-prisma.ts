import type { SqlResult } from "../connection/sql-database.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";

/** Members of a `PrismaClient` that {@link fromPrisma} uses. */
export interface PrismaLike<Tx> {
  /** Runs a function in a transaction. */
  $transaction<Result>(
    run: (tx: Tx) => Promise<Result>,
    options?: { readonly maxWait?: number; readonly timeout?: number },
  ): Promise<Result>;
}

/** Members of a transaction of Prisma. */
export interface PrismaTransaction {
  $queryRawUnsafe<Result>(text: string, ...values: unknown[]): Promise<Result>;
}

/** Longest delay of a timer. Attempts have their own time limit. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** Uses transactions of Prisma 7, for `createPostgresBackend({ pool, transactions })`. */
export function fromPrisma<Tx extends PrismaTransaction>(prisma: PrismaLike<Tx>): SqlTransactions<Tx> {
  return {
    begin: (run) => prisma.$transaction(run, { timeout: NO_LIMIT_MS }),
    query: async (tx, { text, values = [] }) => ({
      rows: await tx.$queryRawUnsafe<SqlResult["rows"]>(text, ...values),
    }),
    isTransaction: (value) =>
      "$queryRawUnsafe" in value && !("$connect" in value && value.$connect !== undefined),
    example: "the `tx` of `prisma.$transaction(async (tx) => …)`",
  };
}

import { MAX_TIMER_MS } from "../../../contract/timers.js";
import { checkLibrary } from "../connection/check-library.js";
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
  /** Runs one statement. */
  $queryRawUnsafe<Result>(text: string, ...values: unknown[]): Promise<Result>;
}

/** Error of Prisma, or of its adapter if a commit fails. */
interface PrismaError {
  readonly message?: string;
  readonly code?: string;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: DriverCause } };
  readonly cause?: DriverCause;
}

/** Error of the driver, as the adapter describes it. */
interface DriverCause {
  /** SQLSTATE. */
  readonly originalCode?: string;
  readonly originalMessage?: string;
}

/**
 * Uses transactions of Prisma 7 on `@prisma/adapter-pg`, for `createPostgresBackend({ pool, transactions })`.
 *
 * Throws `INVALID_OPTION`.
 */
export function fromPrisma<Tx extends PrismaTransaction>(prisma: PrismaLike<Tx>): SqlTransactions<Tx> {
  checkLibrary(
    "fromPrisma",
    prisma,
    "a `PrismaClient`, such as `new PrismaClient({ adapter })`",
    "$transaction",
  );
  return {
    begin: (run) =>
      // The back end has its own time limits.
      prisma.$transaction(run, { maxWait: MAX_TIMER_MS, timeout: MAX_TIMER_MS }).catch(throwDriverError),
    query: async (tx, { text, values = [] }) => {
      const rows = tx.$queryRawUnsafe<SqlResult["rows"]>(text, ...values);
      return { rows: await rows.catch(throwDriverError) };
    },
    isTransaction: (value) => "$queryRawUnsafe" in value && !("$connect" in value),
    example: "the `tx` of `prisma.$transaction(async (tx) => …)`",
  };
}

/** Throws an error with the SQLSTATE as `code`. Codes of Prisma look like one, so its error is not the cause. */
function throwDriverError(error: PrismaError): never {
  const { originalCode, originalMessage } = error.meta?.driverAdapterError?.cause ?? error.cause ?? {};
  // Prisma does not send a statement of a transaction that has ended.
  const code = error.code === "P2028" ? "25P01" : originalCode;
  throw Object.assign(new Error(originalMessage ?? error.message), code === undefined ? {} : { code });
}

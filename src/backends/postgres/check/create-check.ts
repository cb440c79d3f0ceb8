import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import { createTimeLimit } from "../../../platform/waits.js";
import type { Clock } from "../../../ports/runtime.js";
import { codeOf } from "../connection/driver-error.js";
import type { RunStatement, SqlDatabase } from "../connection/sql-database.js";
import type { Explain } from "../connection/store-error.js";
import { LOCKED, UNPUBLISHED, unpublished } from "../schema/migrations.js";
import { connectionMistake, isAboutConnecting } from "./connection-mistake.js";
import {
  findPoolerMistake,
  hasEnded,
  isAboutPreparing,
  POOL_ENDED,
  poolMistake,
  STATEMENTS_LOST,
  warnOfUnheardErrors,
} from "./pool-mistake.js";
import { findMigrationMistake, findSchemaMistake, howToMigrate } from "./schema-mistake.js";
import { readServerFacts, type ServerFacts, serverMistake } from "./server-mistake.js";

/** Options of {@link createCheck}. */
export interface CheckOptions {
  readonly database: Pick<SqlDatabase<unknown>, "query">;
  /** Value of the option `pool`. */
  readonly pool: object;
  readonly schema: string;
  readonly listen: boolean;
  /** Migrates the schema if `migrate` is `auto`. */
  readonly ready: () => Promise<void>;
  /** Makes the first use of the database, and throws a mistake in the transactions. */
  readonly verify: () => Promise<void>;
  /** Time limit for the migration. Milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Creates the `check` of a back end. It checks the pool, the server, the schema, the grants and the transactions in this
 * order, and throws the first mistake that it finds. The first call warns if the errors of the pool would end the process.
 */
export function createCheck(options: CheckOptions): () => Promise<void> {
  const { pool, schema, listen, ready } = options;
  const { query } = options.database;
  const within = createTimeLimit(options.timeoutMs, options.clock);

  async function findMistake(): Promise<AsyncReplyError | undefined> {
    const atPool = poolMistake(pool, listen);
    if (atPool !== undefined) return atPool;
    const facts = await readServerFacts(query);
    const atServer = serverMistake(facts);
    if (facts.readOnly) await closeConnection(query);
    return (
      atServer ??
      (await findPoolerMistake(pool)) ??
      (await migrationMistake(facts)) ??
      (await findSchemaMistake(query, schema, facts))
    );
  }

  async function migrationMistake(facts: ServerFacts): Promise<AsyncReplyError | undefined> {
    try {
      await within(ready());
      return undefined;
    } catch (error) {
      const { cause } = isAsyncReplyError(error) ? error.context : { cause: error };
      if (codeOf(cause) === UNPUBLISHED) return misuse(unpublished(schema));
      if (isAsyncReplyError(error) && error.code === "INVALID_OPTION") return error;
      if (codeOf(cause) === "42501") return findMigrationMistake(query, schema, facts);
      const doing = `Schema ${schema} was not created or upgraded`;
      const detail =
        cause === undefined
          ? `${doing} in time. Another process may be migrating it, or a long transaction may use its tables. Wait until it ` +
            "is done."
          : `${doing}. The cause of this error says why.`;
      return new AsyncReplyError("STORE_UNAVAILABLE", detail, { cause });
    }
  }

  let warned = false;
  return async () => {
    if (!warned) warnOfUnheardErrors(pool);
    warned = true;
    const mistake = await findMistake().catch(connectionMistake);
    if (mistake !== undefined) throw mistake;
    await options.verify();
  };
}

/** Makes the pool close a connection. If it is read-only, another server may accept writes by now. */
async function closeConnection(query: RunStatement): Promise<void> {
  const text = "do $$ begin raise sqlstate '25006'; end $$";
  await query({ text }).catch(() => {});
}

/**
 * Creates a function that explains errors of calls with the sentences of `check`. It only looks at the error itself.
 */
export function createExplain(pool: object, schema: string): Explain {
  return (error) => {
    if (hasEnded(pool)) return POOL_ENDED;
    if (isTableLock(error))
      return `Another transaction has locked the tables of schema ${schema}, such as a migration. Wait until it has ended.`;
    if (isAboutConnecting(error)) return connectionMistake(error).detail;
    if (isAboutPreparing(error)) return STATEMENTS_LOST;
    switch (codeOf(error)) {
      case "3F000":
      case "42P01":
      case "42883":
        return `Schema ${schema} is missing or older than this release. ${howToMigrate(schema)}`;
      case UNPUBLISHED:
        return unpublished(schema);
      case LOCKED:
        return (error as Error).message;
      case "42501":
        return `The role of the pool lacks a grant on schema ${schema}. Call \`backend.check()\`, which names the statement to run.`;
      case "25006":
        return "The connection is read-only. Connect the pool to the primary, or turn off `default_transaction_read_only`.";
      default:
        return undefined;
    }
  };
}

/** Whether a function of the schema refused a call because a table is locked. It uses a code of servers that are starting. */
function isTableLock(error: unknown): boolean {
  return codeOf(error) === "57P03" && (error as { readonly routine?: unknown }).routine === "exec_stmt_raise";
}

import { AsyncReplyError, isAsyncReplyError } from "../../../contract/errors.js";
import type { Clock } from "../../../ports/runtime.js";
import { codeOf } from "../connection/error-code.js";
import type { RunStatement, SqlDatabase } from "../connection/sql-database.js";
import { createTimeLimit } from "../connection/time-limit.js";
import { connectionMistake } from "./connection-mistake.js";
import { poolMistake } from "./pool-mistake.js";
import { findMigrationMistake, findSchemaMistake } from "./schema-mistake.js";
import { readServerFacts, type ServerFacts, serverMistake } from "./server-mistake.js";

/** What {@link createCheck} takes. */
export interface CheckOptions {
  readonly database: Pick<SqlDatabase<unknown>, "query">;
  /** What the user passed. */
  readonly pool: object;
  readonly schema: string;
  readonly listen: boolean;
  /** Migrates, if the back end does that by itself. */
  readonly ready: () => Promise<void>;
  /** How long a migration is waited for. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Creates the check of a back end: pool, server, schema and grants, in the order in which they are needed. It stops at the
 * first mistake.
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
    if (facts.readOnly) await leaveConnection(query);
    return atServer ?? (await migrationMistake(facts)) ?? findSchemaMistake(query, schema, facts);
  }

  async function migrationMistake(facts: ServerFacts): Promise<AsyncReplyError | undefined> {
    try {
      await within(ready());
      return undefined;
    } catch (error) {
      const { cause } = isAsyncReplyError(error) ? error.context : { cause: error };
      if (codeOf(cause) === "42501") return findMigrationMistake(query, schema, facts);
      const doing = `Schema ${schema} was not created or upgraded`;
      const detail =
        cause === undefined
          ? `${doing} in time. Another process may be at it: wait until it is done.`
          : `${doing}. The cause of this error says why.`;
      return new AsyncReplyError("STORE_UNAVAILABLE", detail, { cause });
    }
  }

  return async () => {
    const mistake = await findMistake().catch(connectionMistake);
    if (mistake !== undefined) throw mistake;
  };
}

/** Makes the pool close a read-only connection, because its server may have a successor that takes writes. */
async function leaveConnection(query: RunStatement): Promise<void> {
  const text = "do $$ begin raise sqlstate '25006'; end $$";
  await query({ text }).catch(() => {});
}

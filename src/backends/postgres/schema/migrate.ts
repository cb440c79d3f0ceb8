import { misuse } from "../../../contract/options.js";
import type { RunStatement, SqlDatabase } from "../connection/sql-database.js";
import { type Explain, toStoreError } from "../connection/store-error.js";
import { isUnpublished, postgresMigrations, quoteSchema, unpublished } from "./migrations.js";

/**
 * Creates or upgrades the schema. Safe to call from several processes at once. If a process dies during the migration,
 * the server ends its transaction after `idleTimeoutMs`, so other processes do not wait for its lock forever.
 */
export async function migrate<Tx>(
  database: SqlDatabase<Tx>,
  schema: string,
  idleTimeoutMs: number,
  explain: Explain,
): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      const query = database.queryIn(tx);
      // Building an index on a large table can take longer than the role's `statement_timeout`.
      await query({ text: "set local statement_timeout = 0" });
      await query({ text: `do $$ begin ${endIfAbandoned(idleTimeoutMs)} end $$` });
      await addVersions(query, schema);
    });
  } catch (error) {
    throw toStoreError(error, explain);
  }
}

async function addVersions(query: RunStatement, schema: string): Promise<void> {
  for (const text of postgresMigrations(schema)) await query({ text });
}

/**
 * Creates or upgrades the schema within the user's transaction, because the user may hold the last connection of the
 * pool. Takes the migration lock only if the schema is not up to date, because the lock is held until that transaction
 * ends.
 *
 * @returns whether the schema stays if the transaction is rolled back
 */
export async function migrateIn(query: RunStatement, schema: string): Promise<boolean> {
  const versions = postgresMigrations(schema);
  const there = await query({
    text: "select to_regclass($1) is not null as there",
    values: [`${schema}.migrations`],
  });
  if (there.rows[0]?.there === true) {
    // Both times are starts of transactions, so a migration by this transaction does not count as earlier.
    const text = `select count(*)::integer as versions, bool_and(applied_at < now()) as stays,
      ${isUnpublished(quoteSchema(schema))} as unpublished from "${schema}".migrations`;
    const [row] = (await query({ text, values: [] })).rows;
    // The migration itself would abort the user's transaction.
    if (row?.unpublished === true) throw misuse(unpublished(schema));
    if (Number(row?.versions) >= versions.length) return row?.stays === true;
  }
  await addVersions(query, schema);
  return false;
}

/** Throws `INVALID_OPTION` if no published release has made the schema. */
export async function refuseUnpublished(query: RunStatement, schema: string): Promise<void> {
  const text = `select ${isUnpublished(quoteSchema(schema))} as unpublished`;
  const [row] = (await query({ text })).rows;
  if (row?.unpublished === true) throw misuse(unpublished(schema));
}

/**
 * Returns a function that runs a step until it succeeds once. Concurrent calls share a run; after a failure, the next
 * call retries.
 */
export function once(step: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= step().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}

/**
 * Returns PL/pgSQL statements that make the server end the current transaction if its client is gone. The server
 * notices this after `idleMs` milliseconds without a statement. During a long statement, it also checks the connection
 * every second, if it supports this. Limits that the role or the database already sets are kept.
 */
function endIfAbandoned(idleMs: number): string {
  return `if current_setting('idle_in_transaction_session_timeout') = '0' then
    perform set_config('idle_in_transaction_session_timeout', '${idleMs}', true);
  end if;
  if current_setting('client_connection_check_interval', true) = '0' then
    begin
      perform set_config('client_connection_check_interval', '1000', true);
    exception when invalid_parameter_value then null;
    end;
  end if;`;
}

import type { RunStatement, SqlDatabase } from "../connection/sql-database.js";
import { type Explain, toStoreError } from "../connection/store-error.js";
import { endIfAbandoned } from "./end-if-abandoned.js";
import { postgresMigrations } from "./migrations.js";

/**
 * Brings the schema up to this release. May be called by any number of processes at once. If the process dies meanwhile, the
 * server ends its transaction after `idleTimeoutMs`, so the others do not wait for its lock forever.
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
      // An index of a large table takes longer than other statements of this role may.
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
 * Does the same within a transaction of the user, who may hold the last connection. The lock of migrations is taken only
 * where there is something to do: it is held until that transaction ends.
 *
 * @returns whether the schema stays when the transaction is rolled back
 */
export async function migrateIn(query: RunStatement, schema: string): Promise<boolean> {
  const versions = postgresMigrations(schema);
  const there = await query({
    text: "select to_regclass($1) is not null as there",
    values: [`${schema}.migrations`],
  });
  if (there.rows[0]?.there === true) {
    // Both times are those when a transaction began: what this one has done itself is not before it.
    const text = `select count(*)::integer as versions, bool_and(applied_at < now()) as stays from "${schema}".migrations`;
    const [row] = (await query({ text, values: [] })).rows;
    if (Number(row?.versions) >= versions.length) return row?.stays === true;
  }
  await addVersions(query, schema);
  return false;
}

/** Calls a step before the first use: once it has succeeded never again, and after a failure the next time. */
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

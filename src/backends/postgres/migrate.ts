import { postgresMigrations } from "./migrations.js";
import type { RunStatement } from "./sql-database.js";
import { toStoreError } from "./store-error.js";

/** Brings the schema up to this release. May be called by any number of processes at once. */
export async function migrate(query: RunStatement, schema: string): Promise<void> {
  try {
    for (const text of postgresMigrations(schema)) await query({ text });
  } catch (error) {
    throw toStoreError(error);
  }
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
  await migrate(query, schema);
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

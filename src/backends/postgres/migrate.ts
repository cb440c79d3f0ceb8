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

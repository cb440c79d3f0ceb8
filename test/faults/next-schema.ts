import type { PrivatePostgres } from "../support/postgres/private-postgres.js";

const SCHEMA = "async_request_reply";

/**
 * Applies a migration like one of the next release: a column, an index on it, and a second version of each recording
 * function, which writes the column. Everything of this release stays unchanged.
 */
export async function migrateToNext(postgres: PrivatePostgres): Promise<void> {
  const [newest] = await postgres.query<{ version: number }>(
    `SELECT max(version) AS version FROM ${SCHEMA}.migrations`,
  );
  const functions = await postgres.query<{ definition: string }>(
    `SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
     WHERE p.pronamespace = '${SCHEMA}'::regnamespace AND p.proname ~ '^(record_(\\w+_)?|insert_one_)v1$' ORDER BY p.oid`,
  );
  await postgres.query(migration((newest?.version ?? 0) + 1, functions.map(nextVersion)));
}

/** Counts the operations recorded by functions of this release and of the next one. */
export async function countRecorded(
  postgres: PrivatePostgres,
): Promise<{ readonly present: number; readonly next: number }> {
  const [counts] = await postgres.query<{ present: number; next: number }>(
    `SELECT count(*) FILTER (WHERE recorded_by IS NULL)::int AS present, count(recorded_by)::int AS next
     FROM ${SCHEMA}.operations`,
  );
  return counts ?? { present: 0, next: 0 };
}

function nextVersion({ definition }: { readonly definition: string }): string {
  return definition
    .replace(/\b(record_(?:\w+_)?|insert_one_)v1\b/g, "$1v2")
    .replace(
      /(insert into \S+\.operations) \(([^)]*\)\s+(?:select|values \())/g,
      "$1 (recorded_by, $2 'next', ",
    );
}

/** Has the form of a real migration: waits for concurrent ones, and does nothing if its version is already applied. */
function migration(version: number, functions: readonly string[]): string {
  return `DO $migration$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('async-request-reply migrations of ${SCHEMA}', 0));
  IF NOT EXISTS (SELECT FROM ${SCHEMA}.migrations WHERE version = ${version}) THEN
    EXECUTE $addition$
      ALTER TABLE ${SCHEMA}.operations ADD COLUMN recorded_by text;
      CREATE INDEX operations_recorded_by ON ${SCHEMA}.operations (recorded_by) WHERE recorded_by IS NOT NULL;
      ${functions.join(";\n")};
    $addition$;
    INSERT INTO ${SCHEMA}.migrations (version) VALUES (${version});
  END IF;
END
$migration$`;
}

import version1 from "./1.sql";
import { quoteSchema } from "./schema-name.js";

/** What one version adds to the schema. */
interface Addition {
  /**
   * A function that the version adds. If it exists, the version is applied: at REPEATABLE READ a transaction finds a new
   * function, but not the new row of the table that lists versions.
   */
  readonly marker: string;
  /** SQL in which `{{schema}}` stands for the quoted name of the schema. */
  readonly text: string;
}

/** What each version adds. Nothing here is ever changed or removed: the previous release keeps working beside this one. */
const VERSIONS: readonly Addition[] = [{ marker: "now_v1()", text: version1 }];

/** The version of the schema that this release needs. */
export const SCHEMA_VERSION: number = VERSIONS.length;

/** Returns the names of all functions that this release needs. */
export function functionNames(): readonly string[] {
  const created = VERSIONS.flatMap(({ text }) => [
    ...text.matchAll(/^create (?:or replace )?function \{\{schema\}\}\.(\w+)/gm),
  ]);
  return [...new Set(created.map(([, name = ""]) => name))];
}

/**
 * The statements that bring a schema up to this release, one for each version, in order. Each may be run any number of
 * times and by several processes at once: it waits its turn, looks whether its version is there, and then does nothing.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function postgresMigrations(schema = "async_request_reply"): readonly string[] {
  const quoted = quoteSchema(schema);
  return VERSIONS.map(
    ({ marker, text }, index) => `do $migration$
declare
  usual_lock_timeout text := current_setting('lock_timeout');
begin
  -- Most calls end here, without the lock: the connection of a process that holds it may hang.
  if to_regprocedure('${quoted}.${marker}') is not null then
    return;
  end if;
  -- Another process may take longer to migrate than this role may wait for a row.
  perform set_config('lock_timeout', '0', true);
  perform pg_advisory_xact_lock(hashtextextended('async-request-reply migrations of ${schema}', 0));
  if to_regnamespace('${schema}') is null then
    create schema ${quoted};
  end if;
  if to_regclass('${schema}.migrations') is null then
    create table ${quoted}.migrations (version integer primary key, applied_at timestamptz not null default now());
  end if;
  if to_regprocedure('${quoted}.${marker}') is null then
    execute $addition$
${text.replaceAll("{{schema}}", quoted)}$addition$;
    insert into ${quoted}.migrations (version) values (${index + 1});
  end if;
  perform set_config('lock_timeout', usual_lock_timeout, true);
end
$migration$;
`,
  );
}

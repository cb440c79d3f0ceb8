import { checkOptions, invalidOption } from "../../../contract/options.js";
import { version1 } from "./version-1/index.js";
import { version2 } from "./version-2/index.js";
import { version3 } from "./version-3/index.js";

/** Additions of one version to the schema. */
interface Addition {
  /**
   * Function that the version adds. If it exists, the version is applied. At REPEATABLE READ, a transaction can see a
   * new function, but not a new row of the table `migrations`.
   */
  readonly marker: string;
  /** SQL in which `{{schema}}` stands for the quoted name of the schema. */
  readonly text: string;
}

/** All versions, in order. Never change or remove one, so that the previous release keeps working with the schema. */
const VERSIONS: readonly Addition[] = [
  { marker: "database_v1()", text: version1 },
  { marker: "clean_output_v2(integer)", text: version2 },
  { marker: "read_minutes_v3(text[], float8, float8, float8)", text: version3 },
];

/** SQLSTATE of a migration of tables that no published release has made. */
export const UNPUBLISHED = "ARR30";

/** SQLSTATE of a migration that never got its locks. The message of the error says what to do. */
export const LOCKED = "ARR31";

/** Time after which a migration stops trying to get its locks. It outlasts most transactions. */
const GIVES_UP_AFTER = "2 minutes";

/** Statement that tells whether no published release has made the tables of a schema. Takes its quoted name. */
export function isUnpublished(quoted: string): string {
  return `to_regclass('${quoted}.operations') is not null and to_regprocedure('${quoted}.${VERSIONS[0]?.marker}') is null`;
}

/** Returns what is wrong with such a schema. */
export function unpublished(schema: string): string {
  return (
    `Schema ${schema} was made by an unpublished version of async-request-reply. Drop it with ` +
    `\`drop schema ${schema} cascade\`, and make it again.`
  );
}

/** Schema version that this release needs. */
export const SCHEMA_VERSION: number = VERSIONS.length;

/** Options of {@link postgresMigrations}. */
export interface PostgresMigrationsOptions {
  /** Version that the schema already has. Only newer versions are returned. Default: 0, which returns all. */
  readonly after?: number;
}

/** Returns the names of all functions that this release needs. */
export function functionNames(): readonly string[] {
  const created = VERSIONS.flatMap(({ text }) => [
    ...text.matchAll(/^create (?:or replace )?function \{\{schema\}\}\.(\w+)/gm),
  ]);
  return [...new Set(created.map(([, name = ""]) => name))];
}

/**
 * Returns the SQL statements that create or upgrade a schema to the version of this release, for your own migration
 * tool. There is one statement for each version; run them in order. Statements are safe to run again, and by several
 * processes at once: each waits for the others and does nothing if its version is already applied. Calls wait behind a
 * statement that waits for a lock, so it waits for 50 ms, and then up to 1.6 s, with pauses in which they pass. If other
 * transactions use the tables for 2 minutes, it fails with the SQLSTATE `ARR31` and changes nothing.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param schema name of the schema. Default: `async_request_reply`.
 */
export function postgresMigrations(
  schema = "async_request_reply",
  options: PostgresMigrationsOptions = {},
): readonly string[] {
  checkOptions(options, { after: true }, "postgresMigrations");
  const { after = 0 } = options;
  if (!Number.isSafeInteger(after) || after < 0 || after > SCHEMA_VERSION)
    throw invalidOption("after", `a version from 0 to ${SCHEMA_VERSION}, the newest of this release`, after);
  const quoted = quoteSchema(schema);
  return VERSIONS.map(
    ({ marker, text }, index) => `do $migration$
declare
  usual_lock_timeout text := current_setting('lock_timeout');
  gives_up_at timestamptz;
  wait_ms integer := 50;
  pause_seconds integer := 1;
begin
  -- Most calls end here, without the lock, because the connection of a process that holds it can hang.
  if to_regprocedure('${quoted}.${marker}') is not null then
    return;
  end if;
  -- The migration of another process can take longer than the role's lock_timeout.
  perform set_config('lock_timeout', '0', true);
  perform pg_advisory_xact_lock(hashtextextended('async-request-reply migrations of ${schema}', 0));
  if ${isUnpublished(quoted)} then
    raise exception using errcode = '${UNPUBLISHED}', message = ${literal(unpublished(schema))};
  end if;
  if to_regnamespace('${schema}') is null then
    create schema ${quoted};
  end if;
  if to_regclass('${schema}.migrations') is null then
    create table ${quoted}.migrations (version integer primary key, applied_at timestamptz not null default now());
  end if;
  if to_regprocedure('${quoted}.${marker}') is null then
    gives_up_at := clock_timestamp() + interval '${GIVES_UP_AFTER}';
    loop
      begin
        -- No call waits behind this lock. Postgres ends a vacuum that holds it, but only after deadlock_timeout.
        perform set_config('lock_timeout', (setting::integer + 500)::text, true) from pg_settings where name = 'deadlock_timeout';
        if to_regclass('${schema}.operations') is not null then
          lock table ${quoted}.operations in share update exclusive mode;
        end if;
        -- All calls wait behind the next locks, and submissions fail after 100 ms. So the first tries wait for less.
        perform set_config('lock_timeout', wait_ms::text, true);
        execute $addition$
${text.replaceAll("{{schema}}", quoted)}$addition$;
        exit;
      exception when lock_not_available then
        if clock_timestamp() > gives_up_at then
          raise exception using errcode = '${LOCKED}', message = ${locked(schema)};
        end if;
      end;
      perform pg_sleep(pause_seconds);
      wait_ms := least(wait_ms * 2, 1600);
      pause_seconds := least(pause_seconds * 2, 15);
    end loop;
    insert into ${quoted}.migrations (version) values (${index + 1});
  end if;
  perform set_config('lock_timeout', usual_lock_timeout, true);
end
$migration$;
`,
  ).slice(after);
}

/** Returns an SQL expression for what to do if a migration never gets its locks. */
function locked(schema: string): string {
  const oldest = `select format(' The oldest is open in the server process %s: \`select pg_terminate_backend(%s)\` ends it.', pid, pid)
            from pg_stat_activity join pg_locks using (pid) join pg_class on pg_class.oid = relation
            where granted and pid <> pg_backend_pid() and relnamespace = '${schema}'::regnamespace
              and database = (select oid from pg_database where datname = current_database())
            order by xact_start limit 1`;
  const problem =
    `Schema ${schema} was not upgraded, because other transactions have used its tables for ${GIVES_UP_AFTER}. Nothing has ` +
    "changed. End these transactions, and migrate again.";
  return `concat(${literal(problem)}, (${oldest}))`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns the quoted name of a schema. The pattern allows no characters that could end the quotes.
 *
 * Throws `INVALID_OPTION`.
 */
export function quoteSchema(schema: string): string {
  if (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,47}$/.test(schema)) return `"${schema}"`;
  throw invalidOption(
    "schema",
    "a name of 1 to 48 characters from a-z, 0-9 and _ that does not begin with a digit",
    schema,
  );
}

import { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import type { RunStatement } from "../connection/sql-database.js";

/** Facts about the server and the connection. */
export interface ServerFacts {
  readonly version: string;
  /** `server_version_num`, such as 150004. */
  readonly versionNumber: number;
  readonly standby: boolean;
  readonly readOnly: boolean;
  readonly role: string;
  readonly database: string;
  /** Encoding of the database, such as `UTF8`. */
  readonly encoding: string;
  /** Whether the driver returns ids as they are. */
  readonly readsIds: boolean;
}

const MIN_VERSION = 13;

const FACTS = `select current_setting('server_version') as version,
  current_setting('server_version_num')::integer as version_number,
  pg_is_in_recovery() as standby,
  current_setting('transaction_read_only') = 'on' as read_only,
  current_user::text as role, current_database()::text as database,
  current_setting('server_encoding') as encoding, $1::uuid as id`;
const ID = "00000000-0000-4000-8000-000000000000";

/** Reads the facts from the server. */
export async function readServerFacts(query: RunStatement): Promise<ServerFacts> {
  const [row = {}] = (await query({ text: FACTS, values: [ID] })).rows;
  return {
    version: String(row.version),
    versionNumber: Number(row.version_number),
    standby: row.standby === true,
    readOnly: row.read_only === true,
    role: String(row.role),
    database: String(row.database),
    encoding: String(row.encoding),
    readsIds: row.id === ID,
  };
}

/** Returns an error that says why the server cannot be used and what to do about it, or undefined. */
export function serverMistake(facts: ServerFacts): AsyncReplyError | undefined {
  const { version, versionNumber, standby, readOnly, role, database, encoding, readsIds } = facts;
  if (versionNumber < MIN_VERSION * 10_000)
    return misuse(
      `The server is PostgreSQL ${version}, but this release needs ${MIN_VERSION} or later. Upgrade the server, or connect the pool to another one.`,
    );
  if (!readsIds)
    return misuse(
      "The driver of the pool does not return a `uuid` as text. Remove `binary: true` from the options of the pool, " +
        "`pg.defaults.binary`, and any parser for that type.",
    );
  // Inputs, results and errors are JSON, which any character can be part of.
  if (encoding !== "UTF8")
    return misuse(
      `Database "${database}" has the encoding ${encoding}, which cannot store every JSON text. A database keeps its encoding, so ` +
        "create another one with `create database … encoding 'UTF8' template template0 locale 'C'`, and connect the pool to it.",
    );
  // A standby can become the primary at any time, so waiting can help.
  if (standby)
    return new AsyncReplyError(
      "STORE_UNAVAILABLE",
      "The server is a hot standby, which is read-only. Connect the pool to the primary, or wait until the standby takes over.",
    );
  if (readOnly)
    return misuse(
      `The connections of the pool are read-only: \`default_transaction_read_only\` is on for role "${role}" in database ` +
        `"${database}". Turn it off with \`alter role\`, \`alter database\` or in the server configuration, or connect as another role.`,
    );
  return undefined;
}

import { AsyncReplyError } from "../../../contract/errors.js";
import { misuse } from "../../../contract/options.js";
import type { RunStatement } from "../connection/sql-database.js";

/** What a server says about itself and about the connection. */
export interface ServerFacts {
  readonly version: string;
  /** Such as 150004. */
  readonly versionNumber: number;
  readonly standby: boolean;
  readonly readOnly: boolean;
  readonly role: string;
  readonly database: string;
}

const MIN_VERSION = 13;

const FACTS = `select current_setting('server_version') as version,
  current_setting('server_version_num')::integer as version_number,
  pg_is_in_recovery() as standby,
  current_setting('transaction_read_only') = 'on' as read_only,
  current_user::text as role, current_database()::text as database`;

/** Asks the server about itself. */
export async function readServerFacts(query: RunStatement): Promise<ServerFacts> {
  const [row = {}] = (await query({ text: FACTS, values: [] })).rows;
  return {
    version: String(row.version),
    versionNumber: Number(row.version_number),
    standby: row.standby === true,
    readOnly: row.read_only === true,
    role: String(row.role),
    database: String(row.database),
  };
}

/** Returns why a server cannot be used, and what to do about it, or undefined. */
export function serverMistake(facts: ServerFacts): AsyncReplyError | undefined {
  const { version, versionNumber, standby, readOnly, role, database } = facts;
  if (versionNumber < MIN_VERSION * 10_000)
    return misuse(
      `The server is PostgreSQL ${version}, and this release needs ${MIN_VERSION} or later. Upgrade the server, or connect the pool to another one.`,
    );
  // A standby may take over at any time, so it is worth waiting for.
  if (standby)
    return new AsyncReplyError(
      "STORE_UNAVAILABLE",
      "The server is a hot standby, which is read-only. Connect the pool to the primary, or wait until the standby takes over.",
    );
  if (readOnly)
    return misuse(
      `The connections of the pool are read-only: \`default_transaction_read_only\` is on for role "${role}" in database ` +
        `"${database}". Turn it off with \`alter role\`, \`alter database\` or in the configuration of the server, or connect as another role.`,
    );
  return undefined;
}

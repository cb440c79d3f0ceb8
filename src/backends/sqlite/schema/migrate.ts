import { misuse } from "../../../contract/options.js";
import { integer } from "../../rows/row.js";
import type { Statements } from "../connection/statements.js";
import version1 from "./1.sql";

/** Additions of one version to the schema. */
interface Addition {
  readonly text: string;
  /**
   * Lowest version that a release must know to use the file afterwards. The previous release keeps working with a
   * schema that only adds to its own.
   */
  readonly needs: number;
}

/** All versions, in order. Never change or remove one, so that the previous release keeps working with the schema. */
const VERSIONS: readonly Addition[] = [{ text: version1, needs: 1 }];

/** Schema version that this release needs. */
const SCHEMA_VERSION: number = VERSIONS.length;

/** Name of the table that lists the applied versions. The file can hold tables of the user too. */
const MIGRATIONS = "arr_migrations";

/**
 * Creates or upgrades the tables in one transaction. Safe to call from several processes at once.
 *
 * Throws `INVALID_OPTION` if the file needs a newer release.
 */
export function migrate(statements: Statements, now: number): void {
  if (appliedVersion(statements) >= SCHEMA_VERSION) return;
  statements.run("begin immediate");
  try {
    // Another process may have migrated the file before this one had the lock.
    const applied = appliedVersion(statements);
    statements.exec(
      `create table if not exists ${MIGRATIONS} (version integer primary key, needs integer not null, applied_at integer not null)`,
    );
    for (const [index, { text, needs }] of VERSIONS.entries()) {
      if (index < applied) continue;
      statements.exec(text);
      statements.run(`insert into ${MIGRATIONS} values (?, ?, ?)`, index + 1, needs, now);
    }
    statements.run("commit");
  } catch (error) {
    statements.run("rollback");
    throw error;
  }
}

/** Returns the version of the file, or 0. Throws `INVALID_OPTION` if this release is too old for it. */
function appliedVersion(statements: Statements): number {
  if (
    statements.first(`select 1 from sqlite_master where type = 'table' and name = '${MIGRATIONS}'`) ===
    undefined
  )
    return 0;
  const row =
    statements.first(
      `select coalesce(max(version), 0) as version, coalesce(max(needs), 0) as needs from ${MIGRATIONS}`,
    ) ?? {};
  const needs = integer(row, "needs");
  if (needs > SCHEMA_VERSION)
    throw misuse(
      `The database file has version ${integer(row, "version")} of the schema, and this release of async-request-reply ` +
        `knows only version ${SCHEMA_VERSION}. Upgrade the package in this process, or open another file.`,
    );
  return integer(row, "version");
}

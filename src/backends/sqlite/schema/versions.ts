import { misuse } from "../../../contract/options.js";
import { integer } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";
import version1 from "./1.sql";
import version2 from "./2.sql";
import version3 from "./3.sql";
import actions from "./actions.sql";

/** Additions of one version to the schema. */
export interface Addition {
  readonly text: string;
  /**
   * Lowest version that a release must know to use the file afterwards. The previous release keeps working with a
   * schema that only adds to its own.
   */
  readonly needs: number;
}

/** All versions, in order. Never change or remove one, so that the previous release keeps working with the schema. */
const VERSIONS: readonly Addition[] = [
  { text: version1, needs: 1 },
  { text: version2, needs: 1 },
  { text: `${version3}\n${actions}`, needs: 1 },
];

/** The versions of a database file. */
export const FILE_VERSIONS: readonly Addition[] = VERSIONS;

/** Name of the table that lists the applied versions. The file can hold tables of the user too. */
const MIGRATIONS = "arr_versions";

/** Returns whether the tables are those of this release. Throws `INVALID_OPTION` if it is too old for them. */
export function isCurrent(statements: Statements, versions: readonly Addition[]): boolean {
  return appliedVersion(statements, versions) >= versions.length;
}

/** Creates or upgrades the tables, within a transaction. Throws `INVALID_OPTION` if they need a newer release. */
export function addVersions(statements: Statements, versions: readonly Addition[], now: number): void {
  const applied = appliedVersion(statements, versions);
  statements.exec(
    `create table if not exists ${MIGRATIONS} (version integer primary key, needs integer not null, applied_at integer not null)`,
  );
  for (const [index, { text, needs }] of versions.entries()) {
    if (index < applied) continue;
    statements.exec(text);
    statements.run(`insert into ${MIGRATIONS} values (?, ?, ?)`, index + 1, needs, now);
  }
}

/** Returns the version of the file, or 0. Throws `INVALID_OPTION` if this release is too old for it. */
function appliedVersion(statements: Statements, { length: known }: readonly Addition[]): number {
  const hasTable = (name: string): boolean =>
    statements.first("select 1 from sqlite_master where type = 'table' and name = ?", name) !== undefined;
  if (!hasTable(MIGRATIONS)) {
    if (!hasTable("arr_operations")) return 0;
    throw misuse(
      "The database file was made by an unpublished version of async-request-reply. Delete it, or open another file.",
    );
  }
  const row =
    statements.first(
      `select coalesce(max(version), 0) as version, coalesce(max(needs), 0) as needs from ${MIGRATIONS}`,
    ) ?? {};
  const needs = integer(row, "needs");
  if (needs > known)
    throw misuse(
      `The database file has version ${integer(row, "version")} of the schema, and this release of async-request-reply ` +
        `knows only version ${known}. Upgrade the package in this process, or open another file.`,
    );
  return integer(row, "version");
}

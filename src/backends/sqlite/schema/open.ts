import { misuse } from "../../../contract/options.js";
import { integer } from "../../shared/row.js";
import type { FileGuard } from "../check/file-guard.js";
import { refuseNetworkMount } from "../check/network-mount.js";
import type { Statements } from "../connection/statements.js";
import version1 from "./1.sql";
import { refuseOtherRows } from "./row-form.js";

/** How often SQLite waits for the disk. */
export type Synchronous = "full" | "normal";

/** After how many pages SQLite writes the log to the file by default. */
const SQLITE_CHECKPOINT_PAGES = 1_000;
/** 16 MB of pages of the usual size. Twice as many made looking up a page in the log slower. */
const CHECKPOINT_PAGES = 4_000;

/** Options of {@link openDatabase}. */
export interface OpenOptions {
  readonly statements: Statements;
  readonly synchronous: Synchronous;
  readonly now: () => number;
  /** Learns which file was opened. */
  readonly guard: FileGuard;
}

/** Prepares a database for use. Throws `INVALID_OPTION` if it cannot be used. */
export function openDatabase({ statements, synchronous, now, guard }: OpenOptions): void {
  refuseOtherRows(statements);
  const file = fileOf(statements);
  if (file !== undefined) refuseNetworkMount(file);
  // SQLite would sleep while it waits, and block the event loop.
  statements.exec("pragma busy_timeout = 0");
  useWriteAheadLog(statements);
  statements.exec(`pragma synchronous = ${synchronous}`);
  checkpointLessOften(statements);
  migrate(statements, now());
  if (file !== undefined) guard.remember(file);
}

/** Decides for each commit whether it waits for the disk. */
export interface DiskWait {
  /** Called before a transaction begins. Without a wait, a power failure may undo its commit. */
  begin(waitsForDisk: boolean): void;
  /** Called after each transaction, so that a transaction of the user on this connection waits as configured. */
  end(): void;
}

/** Creates the decision. */
export function createDiskWait(statements: Statements, synchronous: Synchronous): DiskWait {
  let current: Synchronous = synchronous;
  function use(wanted: Synchronous): void {
    if (wanted === current) return;
    statements.exec(`pragma synchronous = ${wanted}`);
    current = wanted;
  }
  return {
    begin: (waitsForDisk) => use(waitsForDisk ? synchronous : "normal"),
    end: () => {
      try {
        use(synchronous);
      } catch {
        // The next transaction tries again.
      }
    },
  };
}

function useWriteAheadLog(statements: Statements): void {
  if (journalMode(statements.all("pragma journal_mode")) === "wal") return;
  const mode = journalMode(statements.all("pragma journal_mode = wal"));
  // A database in memory has no other processes to share a log with.
  if (mode === "wal" || mode === "memory") return;
  throw misuse(
    `The database cannot use a write-ahead log: its journal mode is "${mode}". Network mounts and read-only files cannot ` +
      "have one. Move the file to a local disk that this process can write to.",
  );
}

/**
 * A checkpoint writes each page once, however often the log holds it. The index of keys has no order, so its pages repeat
 * in the log. Leaves other values than the default of SQLite alone, because they were set on purpose.
 */
function checkpointLessOften(statements: Statements): void {
  const [pages] = Object.values(statements.first("pragma wal_autocheckpoint") ?? {});
  if (pages === SQLITE_CHECKPOINT_PAGES) statements.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

function journalMode(rows: readonly Readonly<Record<string, unknown>>[]): string {
  return String(rows[0]?.journal_mode);
}

/** Returns the path of the database file, or undefined for a database in memory. */
export function fileOf(statements: Statements): string | undefined {
  const main = statements.all("pragma database_list").find(({ name }) => name === "main");
  return typeof main?.file === "string" && main.file !== "" ? main.file : undefined;
}

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
const MIGRATIONS = "arr_versions";

/**
 * Creates or upgrades the tables in one transaction. Safe to call from several processes at once.
 *
 * Throws `INVALID_OPTION` if the file needs a newer release.
 */
function migrate(statements: Statements, now: number): void {
  if (appliedVersion(statements) >= SCHEMA_VERSION) return;
  statements.begin();
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
  if (needs > SCHEMA_VERSION)
    throw misuse(
      `The database file has version ${integer(row, "version")} of the schema, and this release of async-request-reply ` +
        `knows only version ${SCHEMA_VERSION}. Upgrade the package in this process, or open another file.`,
    );
  return integer(row, "version");
}

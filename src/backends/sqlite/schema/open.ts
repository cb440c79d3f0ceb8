import { misuse } from "../../../contract/options.js";
import type { FileGuard } from "../check/file-guard.js";
import { refuseNetworkMount } from "../check/network-mount.js";
import type { ConnectionStatements, Statements } from "../connection/statements.js";
import { refuseOtherRows } from "./row-form.js";
import { addVersions, FILE_VERSIONS, isCurrent } from "./versions.js";

/** How often SQLite waits for the disk. */
export type Synchronous = "full" | "normal";

/** After how many pages SQLite writes the log to the file by default. */
const SQLITE_CHECKPOINT_PAGES = 1_000;
/** 16 MB of pages of the usual size. Twice as many made looking up a page in the log slower. */
const CHECKPOINT_PAGES = 4_000;

/** Options of {@link openDatabase}. */
export interface OpenOptions {
  readonly statements: ConnectionStatements;
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

/** Creates or upgrades the tables in one transaction. Safe to call from several processes at once. */
function migrate(statements: ConnectionStatements, now: number): void {
  if (isCurrent(statements, FILE_VERSIONS)) return;
  statements.begin();
  try {
    addVersions(statements, FILE_VERSIONS, now);
    statements.run("commit");
  } catch (error) {
    statements.run("rollback");
    throw error;
  }
}

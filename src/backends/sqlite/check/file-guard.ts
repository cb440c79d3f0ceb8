import { misuse } from "../../../contract/options.js";
import { builtinModule } from "../../../platform/builtin-module.js";
import type { Clock } from "../../../ports/runtime.js";

/** The part of `node:fs` that is used. */
interface FileSystem {
  statSync(path: string, options: { readonly throwIfNoEntry: false }): Stats | undefined;
}

interface Stats {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
}

/**
 * Notices that the database file, its write-ahead log or the index of the log, which all processes share, was deleted,
 * moved or replaced. SQLite deletes none of them while a connection is open.
 */
export interface FileGuard {
  /** Remembers the files at their paths. Called when the log is open. Only the first call has an effect. */
  remember(file: string): void;
  /**
   * Checks that the paths still lead to the same files.
   *
   * Throws `INVALID_OPTION`.
   */
  verify(): void;
}

interface KnownFile {
  readonly path: string;
  readonly identity: string;
}

const ABSENT = "absent";

/** Longer than the resolution of the times of any file system. */
const SETTLED_MS = 5_000;

/**
 * Creates the guard. An open file without a name still accepts every commit, and loses all of them when the process
 * ends. Does nothing on platforms without a file system.
 *
 * Looks at the folder only, as long as its time does not change: reading the state of files that are being written
 * takes longer.
 */
export function createFileGuard({ now }: Pick<Clock, "now">): FileGuard {
  const fs = builtinModule<FileSystem>("node:fs");
  const known: KnownFile[] = [];
  let folder = "";
  /** State of the folder at the last check of its files, and when it was first seen. */
  let seen: { readonly state: Stats | undefined; readonly since: number } | undefined;

  /** Returns undefined if nothing is known, for example because this process cannot read the folder any more. */
  function identify(path: string): string | undefined {
    try {
      const found = fs?.statSync(path, { throwIfNoEntry: false });
      return found === undefined ? ABSENT : `${found.dev}:${found.ino}`;
    } catch {
      return undefined;
    }
  }

  function stateOfFolder(): Stats | undefined {
    try {
      return fs?.statSync(folder, { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }

  function verifyFiles(): void {
    for (const { path, identity } of known) {
      const current = identify(path);
      if (current === undefined || current === identity) continue;
      throw misuse(
        `The database file "${path}" was deleted, moved or replaced while this process had it open. Stop all processes ` +
          "that use it, put the right file there or restore a backup, and start them again.",
      );
    }
  }

  return {
    remember: (file) => {
      if (fs === undefined || known.length > 0) return;
      folder = file.replace(/[^/\\]*$/, "") || ".";
      for (const path of [file, `${file}-wal`, `${file}-shm`]) {
        const identity = identify(path);
        // A connection in exclusive locking mode shares no memory.
        if (identity !== undefined && identity !== ABSENT) known.push({ path, identity });
      }
    },
    verify: () => {
      if (known.length === 0) return;
      const state = stateOfFolder();
      const at = now();
      const isSame = state !== undefined && isEqual(state, seen?.state);
      // Two changes in quick succession can leave the same time.
      if (isSame && seen !== undefined && Math.abs(at - seen.since) > SETTLED_MS) return;
      verifyFiles();
      if (!isSame) seen = { state, since: at };
    },
  };
}

function isEqual(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.mtimeMs === other.mtimeMs && one.dev === other.dev;
}

import { misuse } from "../../../contract/options.js";
import { builtinModule } from "../../../ports/builtin-module.js";

/** The part of `node:fs` that is used. */
interface FileSystem {
  statSync(
    path: string,
    options: { readonly throwIfNoEntry: false },
  ): { readonly dev: number; readonly ino: number } | undefined;
}

/** Notices that the database file was deleted, moved or replaced. */
export interface FileGuard {
  /** Remembers the file at its path. Only the first call has an effect. */
  remember(file: string): void;
  /**
   * Checks that the path still leads to the same file.
   *
   * Throws `INVALID_OPTION`.
   */
  verify(): void;
}

/**
 * Creates the guard. An open file without a name still accepts every commit, and loses all of them when the process
 * ends. Does nothing on platforms without a file system.
 */
export function createFileGuard(): FileGuard {
  const fs = builtinModule<FileSystem>("node:fs");
  let path = "";
  let known: string | undefined;

  function identify(): string | undefined {
    try {
      const found = fs?.statSync(path, { throwIfNoEntry: false });
      return found === undefined ? "none" : `${found.dev}:${found.ino}`;
    } catch {
      // For example, this process cannot read the folder any more.
      return known;
    }
  }

  return {
    remember: (file) => {
      if (fs === undefined || known !== undefined) return;
      path = file;
      known = identify();
    },
    verify: () => {
      if (known === undefined || identify() === known) return;
      throw misuse(
        `The database file "${path}" was deleted, moved or replaced while this process had it open. Stop all processes that ` +
          "use it, put the right file there, and start them again.",
      );
    },
  };
}

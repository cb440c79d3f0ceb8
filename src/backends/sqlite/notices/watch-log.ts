import { builtinModule } from "../../../ports/builtin-module.js";

/** The parts of `node:fs` and `node:path` that are used. */
interface FileSystem {
  watch(
    folder: string,
    onEvent: (event: string, file: string | null) => void,
  ): { close(): void; unref(): void; on(event: "error", onError: () => void): void };
}
interface Path {
  dirname(path: string): string;
  basename(path: string): string;
}

/**
 * Calls `onWrite` after any process has written to the write-ahead log of a database file. Returns a function that
 * stops the calls. Does nothing on platforms that cannot watch files.
 */
export function watchLog(file: string, onWrite: () => void): () => void {
  const fs = builtinModule<FileSystem>("node:fs");
  const path = builtinModule<Path>("node:path");
  if (fs === undefined || path === undefined) return () => {};
  const log = `${path.basename(file)}-wal`;
  try {
    // The log is deleted with the last connection and created anew, so its folder is watched.
    const watcher = fs.watch(path.dirname(file), (_, name) => {
      if (name === null || name === log) onWrite();
    });
    // For example, the folder was deleted, or the system has no watches left.
    watcher.on("error", () => watcher.close());
    watcher.unref();
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

import { builtinModule } from "../../../platform/builtin-module.js";
import type { Clock } from "../../../ports/runtime.js";
import type { Watchers } from "../../shared/local-notices.js";
import { integer } from "../../shared/row.js";
import type { Connection } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";
import { fileOf } from "../schema/open.js";
import { cancellationsAfter, type Log, loggedAfter, newestIn } from "./change-log.js";
import type { ChangeWatchers } from "./change-watchers.js";

/** Learns what other processes write to the file. */
export interface Changes extends Watchers {
  /** Calls `onRequest` with the operations whose cancellation is requested, until the returned function is called. */
  watchCancellations(onRequest: (operationId?: string) => void): () => void;
  /** Calls `onAppend` with the operations whose output grows, until the returned function is called. */
  watchOutput(onAppend: (operationId?: string) => void): () => void;
  /** Starts to look for changes. Has no effect if it has started. */
  start(): void;
  /** Stops to look for changes. */
  stop(): void;
}

/** Options of {@link createChanges}. */
export interface ChangesOptions {
  readonly statements: Statements;
  readonly connection: Connection;
  readonly watchers: ChangeWatchers;
  readonly clock: Clock;
  /** Interval at which watchers are notified without an event of the file. Milliseconds. */
  readonly pollMs: number;
  /** Called after other connections have written. */
  readonly onWrite: () => void;
}

/** Several writes to the log share a look. Milliseconds. */
const FIRST_LOOK_MS = 2;
/** A write becomes visible only after the disk has confirmed it, so looks are repeated up to this delay. Milliseconds. */
const LAST_LOOK_MS = 4_096;
/** Number of transactions that are reported again at the start, because they may be newer than the call of `watch`. */
const RECENT = 100;

/**
 * Creates the changes. An event of the log says that some process has written, and `data_version` says whether it was
 * another one. Both are hints, so callers also poll.
 */
export function createChanges(options: ChangesOptions): Changes {
  const { statements, connection, watchers, clock, pollMs, onWrite } = options;
  let state: "idle" | "started" | "stopped" = "idle";
  let version: number | undefined;
  const ofOperations: FollowedLog = {
    log: "arr_changes",
    watchers: watchers.operations,
    last: 0,
    watching: 0,
  };
  const ofOutput: FollowedLog = {
    log: "arr_output_changes",
    watchers: watchers.output,
    last: 0,
    watching: 0,
  };
  const logs = [ofOperations, ofOutput];
  let watching = 0;
  let delayMs = 0;
  let cancelLook: () => void = () => {};
  let cancelPoll: () => void = () => {};
  let unwatch: () => void = () => {};

  /** Looks whether another connection has written. */
  function look(): void {
    if (state === "stopped") return;
    const current = dataVersion(statements);
    if (current === version) {
      if (delayMs < LAST_LOOK_MS) lookAfter(delayMs * 2);
      else delayMs = 0;
      return;
    }
    version = current;
    report();
    onWrite();
    // The event may belong to another write, which is about to commit.
    lookAfter(FIRST_LOOK_MS);
  }

  function report(): void {
    for (const id of cancellationsAfter(statements, ofOperations.last)) watchers.cancellations.changed(id);
    for (const followed of logs) {
      const { log, last } = followed;
      followed.last = newestIn(log, statements);
      if (followed.watching === 0 || followed.last === last) continue;
      const logged = loggedAfter(log, statements, last);
      if (logged === undefined) followed.watchers.changed();
      else for (const id of new Set(logged)) followed.watchers.changed(id);
    }
  }

  function lookAfter(ms: number): void {
    delayMs = ms;
    cancelLook = clock.schedule(ms, () => void connection.read(look).catch(missed));
  }

  const lookSoon = (): void => {
    if (delayMs === FIRST_LOOK_MS) return;
    cancelLook();
    lookAfter(FIRST_LOOK_MS);
  };

  /** Ignores a failed look: watchers and workers also poll. */
  function missed(): void {
    delayMs = 0;
  }

  function pollLater(): void {
    cancelPoll = clock.schedule(pollMs, () => {
      lookSoon();
      pollLater();
    });
  }

  function begin(): void {
    const file = fileOf(statements);
    version = dataVersion(statements);
    for (const followed of logs) followed.last = Math.max(0, newestIn(followed.log, statements) - RECENT);
    // No other process can write to a database in memory.
    if (file === undefined || state === "stopped") return;
    unwatch = watchLog(file, lookSoon);
    // Other connections may have written before this, or be about to commit.
    lookSoon();
    report();
    onWrite();
  }

  const start = (): void => {
    if (state !== "idle") return;
    state = "started";
    connection.read(begin).catch(() => {
      if (state === "started") state = "idle";
    });
  };

  function watch(followed: FollowedLog, onChange: (operationId?: string) => void): () => void {
    start();
    const stop = followed.watchers.watch(onChange);
    followed.watching += 1;
    watching += 1;
    // Workers poll for themselves. An unused timer would keep the process alive.
    if (watching === 1 && state !== "stopped") pollLater();
    let isWatching = true;
    return () => {
      if (!isWatching) return;
      isWatching = false;
      followed.watching -= 1;
      watching -= 1;
      if (watching === 0) cancelPoll();
      stop();
    };
  }

  return {
    start,
    stop: () => {
      state = "stopped";
      cancelLook();
      cancelPoll();
      unwatch();
    },
    changed: watchers.operations.changed,
    watchCancellations: (onRequest) => {
      start();
      return watchers.cancellations.watch(onRequest);
    },
    watch: (onChange) => watch(ofOperations, onChange),
    watchOutput: (onAppend) => watch(ofOutput, onAppend),
  };
}

/** A log, and those who watch it. */
interface FollowedLog {
  readonly log: Log;
  readonly watchers: Watchers;
  /** Number of the last transaction of the log that was reported. */
  last: number;
  watching: number;
}

/** Returns a number that changes when another connection commits. */
function dataVersion(statements: Statements): number {
  return integer(statements.first("pragma data_version") ?? {}, "data_version");
}

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
 * Returns whether the platform opens and closes each file that changes in a folder that it watches, as Deno does. Closing a file
 * releases all POSIX locks of the process on it. Without the locks on the database and on the index of the log, two processes
 * write at once, and one of the commits is lost. SQLite locks only these two, so the log can be watched. The others watch the
 * folder, because the log is created anew after the last connection has closed.
 */
function opensWhatItWatches(): boolean {
  return "Deno" in globalThis;
}

/**
 * Calls `onWrite` after any process has written to the write-ahead log of a database file. Returns a function that
 * stops the calls. Does nothing on platforms that cannot watch files.
 */
function watchLog(file: string, onWrite: () => void): () => void {
  const fs = builtinModule<FileSystem>("node:fs");
  const path = builtinModule<Path>("node:path");
  if (fs === undefined || path === undefined) return () => {};
  const log = `${path.basename(file)}-wal`;
  try {
    const watcher = fs.watch(opensWhatItWatches() ? `${file}-wal` : path.dirname(file), (_, name) => {
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

import type { Clock } from "../../../ports/runtime.js";
import { integer, text } from "../../rows/row.js";
import type { Watchers } from "../../waking/watchers.js";
import type { Connection } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";
import { fileOf } from "../schema/open.js";
import { watchLog } from "./watch-log.js";

/** Learns what other processes write to the file. */
export interface News extends Watchers {
  /** Starts to look for changes. Has no effect if it has started. */
  start(): void;
  /** Stops to look for changes. */
  stop(): void;
}

/** Options of {@link createNews}. */
export interface NewsOptions {
  readonly statements: Statements;
  readonly connection: Connection;
  readonly watchers: Watchers;
  readonly clock: Clock;
  /** Interval at which watchers are notified without an event of the file. Milliseconds. */
  readonly pollMs: number;
  /** Called after other connections have written. */
  readonly onNews: () => void;
}

/** Several writes to the log share a look. Milliseconds. */
const FIRST_LOOK_MS = 2;
/** A write becomes visible only after the disk has confirmed it, so looks are repeated up to this delay. Milliseconds. */
const LAST_LOOK_MS = 4_096;
/** Number of endings that are reported again at the start, because they may be newer than the call of `watch`. */
const RECENT_ENDINGS = 100;

/**
 * Creates the news. An event of the log says that some process has written, and `data_version` says whether it was
 * another one. Both are hints, so callers also poll.
 */
export function createNews(options: NewsOptions): News {
  const { statements, connection, watchers, clock, pollMs, onNews } = options;
  let state: "idle" | "started" | "stopped" = "idle";
  let version: number | undefined;
  let lastEnding = 0;
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
    if (watching > 0) reportEndings();
    else lastEnding = newestEnding(statements);
    onNews();
    // The event may belong to another write, which is about to commit.
    lookAfter(FIRST_LOOK_MS);
  }

  function reportEndings(): void {
    const rows = statements.all("select seq, operation_id from arr_endings where seq > ?", lastEnding);
    for (const row of rows) {
      lastEnding = integer(row, "seq");
      watchers.changed(text(row, "operation_id"));
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
    lastEnding = newestEnding(statements) - RECENT_ENDINGS;
    // No other process can write to a database in memory.
    if (file === undefined || state === "stopped") return;
    unwatch = watchLog(file, lookSoon);
    // Other connections may have written before this, or be about to commit.
    lookSoon();
    if (watching > 0) reportEndings();
    onNews();
  }

  const start = (): void => {
    if (state !== "idle") return;
    state = "started";
    connection.read(begin).catch(() => {
      if (state === "started") state = "idle";
    });
  };

  return {
    start,
    stop: () => {
      state = "stopped";
      cancelLook();
      cancelPoll();
      unwatch();
    },
    changed: watchers.changed,
    watch: (onChange) => {
      start();
      const stop = watchers.watch(onChange);
      watching += 1;
      // Workers poll for themselves. An unused timer would keep the process alive.
      if (watching === 1 && state !== "stopped") pollLater();
      let isWatching = true;
      return () => {
        if (!isWatching) return;
        isWatching = false;
        watching -= 1;
        if (watching === 0) cancelPoll();
        stop();
      };
    },
  };
}

function newestEnding(statements: Statements): number {
  return integer(statements.first("select coalesce(max(seq), 0) as newest from arr_endings") ?? {}, "newest");
}

/** Returns a number that changes when another connection commits. */
function dataVersion(statements: Statements): number {
  return integer(statements.first("pragma data_version") ?? {}, "data_version");
}

import { AsyncReplyError } from "../contract/errors.js";
import type { Operation } from "../contract/operation.js";
import { withinTime } from "../platform/waits.js";
import type { Backend } from "../ports/backend.js";
import { MINUTE_MS, type MinutesStore } from "../ports/minutes-store.js";
import type { Observer } from "../ports/observer.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Runtime } from "../ports/runtime.js";
import type { WorkCounter } from "../ports/work-counter.js";
import { createFinding } from "./finding.js";
import { countEvent, type Moment, type OpenRow, openRow, toMinuteRow } from "./open-minute.js";

/** Counts by minute what one process does with one store. */
export interface Minutes extends WorkCounter {
  /** Returns an observer that counts events before it passes them on. */
  counting(observe: Observer): Observer;
  /** Names definitions in each minute as served, until the function is called that this returns. */
  serve(definitions: Iterable<string>): () => void;
  /** Writes what has changed. Never rejects: what cannot be written is reported and tried again, for up to a minute. */
  flush(): Promise<void>;
  /** Does the same, and then looks for no operation any more. */
  end(): Promise<void>;
}

/** Interval at which changes are written, and the time limit of a write. Milliseconds. */
const WRITE_MS = 10_000;
/** Time after which a row may have been folded, so that it must not be written again. Half of what the store waits. Milliseconds. */
const WRITABLE_MS = 60_000;
/** Age of the last write after which a row could not be written in time again, should it change now. Milliseconds. */
const EXTENSIBLE_MS = 40_000;
/** So late in its minute a definition is named at most, because a timer can be late. Milliseconds. */
const MAX_OFFSET_MS = 45_000;
/** Services and workers of a process that use the same store count together. */
const known = new WeakMap<MinutesStore, Minutes>();

/** The stores of a back end that keeps minutes, and those that it counts. */
interface CountedStores extends Pick<Backend, "minutes"> {
  readonly operations: Pick<OperationStore, "getMany">;
}

/**
 * Returns the counts of this process for a back end, or undefined if that keeps no minutes. `observe` receives errors. Its first caller
 * gives the operations, the runtime and the observer.
 */
export function minutesOf(
  { minutes: store, operations }: CountedStores,
  runtime: Pick<Runtime, "clock" | "newToken">,
  observe: Observer,
): Minutes | undefined {
  if (store === undefined) return undefined;
  let minutes = known.get(store);
  if (minutes === undefined) {
    minutes = createMinutes({ minutes: store, operations }, runtime, observe);
    known.set(store, minutes);
  }
  return minutes;
}

function createMinutes(
  { minutes: store, operations }: Required<CountedStores>,
  runtime: Pick<Runtime, "clock" | "newToken">,
  observe: Observer,
): Minutes {
  const { clock } = runtime;
  const finding = createFinding(operations, clock);
  const changed = new Set<OpenRow>();
  const served = new Map<string, number>();
  let open = new Map<string, OpenRow>();
  let minute = 0;
  let process = "";
  /** Time of the event that is counted. Epoch milliseconds. */
  let time = 0;
  let timer: Timer | undefined;
  let cancelBeat: (() => void) | undefined;
  let writing = Promise.resolve();
  /** Number of operations that are not counted, because too many are to be found. */
  let uncounted = 0;

  const rowOf = (definition: string): OpenRow => rowAt(time, definition);

  function schedule(delayMs: number, task: () => void): () => void {
    return clock.scheduleInBackground === undefined
      ? clock.schedule(delayMs, task)
      : clock.scheduleInBackground(delayMs, task);
  }

  function rowAt(now: number, definition: string): OpenRow {
    const current = Math.floor(now / MINUTE_MS);
    if (current !== minute) {
      // A clock that was set back comes to minutes that this process has written before.
      if (process === "" || current < minute) process = runtime.newToken();
      minute = current;
      open = new Map();
    }
    let row = open.get(definition);
    if (row === undefined || !isExtensible(row)) {
      const author = row === undefined ? process : runtime.newToken();
      row = openRow({
        process: author,
        minute: minute * MINUTE_MS,
        definition,
        served: served.has(definition),
      });
      open.set(definition, row);
    }
    if (!row.isChanged) change(row);
    return row;
  }

  /** Everything that a row has counted is written unless it has changed, so another one can follow it. */
  function isExtensible(row: OpenRow): boolean {
    return row.isChanged || ageOf(row, { now: clock.now(), elapsed: clock.elapsed() }) < EXTENSIBLE_MS;
  }

  function change(row: OpenRow): void {
    row.isChanged = true;
    changed.add(row);
    flushLater();
  }

  function flushLater(): void {
    // Some platforms forget timers, or stop them while they freeze the process.
    if (timer !== undefined && clock.elapsed() > timer.at + WRITE_MS) void flush();
    else timer ??= { at: clock.elapsed() + WRITE_MS, cancel: schedule(WRITE_MS, () => void flush()) };
  }

  function flush(): Promise<void> {
    timer?.cancel();
    timer = undefined;
    writing = writing.then(find).then(write);
    return writing;
  }

  async function find(): Promise<void> {
    if (uncounted > 0)
      observe({ event: "background.failed", step: "find-counted", error: tooMany(uncounted) });
    uncounted = 0;
    try {
      if (await finding.look()) flushLater();
    } catch (error) {
      observe({ event: "background.failed", step: "find-counted", error });
      flushLater();
    }
  }

  function followedUp({ onEnd }: Pick<Operation, "onEnd">): void {
    if (onEnd !== undefined) rowAt(clock.now(), onEnd.definition).accepted += 1;
  }

  function findLater(ids: readonly string[], count: (operation: Operation) => void): void {
    if (ids.length === 0) return;
    uncounted += finding.add(ids, count);
    flushLater();
  }

  async function write(): Promise<void> {
    const sentAt: Moment = { now: clock.now(), elapsed: clock.elapsed() };
    const rows = [...changed].filter((row) => ageOf(row, sentAt) < WRITABLE_MS);
    for (const row of changed) row.isChanged = false;
    changed.clear();
    if (rows.length === 0) return;
    for (const row of rows) row.sentAt ??= sentAt;
    try {
      await withinTime(store.write(rows.map(toMinuteRow)), WRITE_MS, clock, tookTooLong);
      for (const row of rows) row.sentAt = sentAt;
    } catch (error) {
      observe({ event: "background.failed", step: "write-minutes", error });
      for (const row of rows) change(row);
    }
  }

  /** Names what is served in this minute, and then in each minute at the same time after its start. */
  function serveMinutes(offsetMs: number): void {
    const now = clock.now();
    for (const definition of served.keys()) rowAt(now, definition).served = true;
    cancelBeat?.();
    cancelBeat = schedule(MINUTE_MS - (now % MINUTE_MS) + offsetMs, () => serveMinutes(offsetMs));
  }

  return {
    counting: (passOn) => (event) => {
      time = clock.now();
      countEvent(event, rowOf, time);
      passOn(event);
    },
    refused: (definition) => {
      rowAt(clock.now(), definition).refused += 1;
    },
    recorded: (ids) =>
      findLater(ids, ({ definition }) => {
        rowAt(clock.now(), definition).accepted += 1;
      }),
    failed: (operation) => {
      rowAt(clock.now(), operation.definition).failed += 1;
      followedUp(operation);
    },
    cancelled: (ended) => {
      for (const { definition } of ended) rowAt(clock.now(), definition).cancelled += 1;
      findLater(
        ended.map(({ id }) => id),
        followedUp,
      );
    },
    followedUp,
    followedUpUnread: (ids) => findLater(ids, followedUp),
    serve: (definitions) => {
      const names = new Set(definitions);
      for (const name of names) served.set(name, (served.get(name) ?? 0) + 1);
      // Processes start at different times, so they do not all write at once.
      serveMinutes(Math.min(clock.now() % MINUTE_MS, MAX_OFFSET_MS));
      return () => {
        for (const name of names) {
          const count = served.get(name) ?? 0;
          if (count > 1) served.set(name, count - 1);
          else served.delete(name);
        }
        names.clear();
        if (served.size === 0) cancelBeat?.();
      };
    },
    flush,
    end: async () => {
      await flush();
      finding.giveUp();
    },
  };
}

interface Timer {
  /** When it is due, by the clock's `elapsed`. */
  readonly at: number;
  readonly cancel: () => void;
}

/** Returns how long ago a row was written, by the clock by which that is longer. Milliseconds, 0 if it never was. */
function ageOf({ sentAt }: OpenRow, { now, elapsed }: Moment): number {
  return sentAt === undefined ? 0 : Math.max(now - sentAt.now, elapsed - sentAt.elapsed);
}

function tooMany(count: number): AsyncReplyError {
  const detail = `${count} operations are missing in the counts by minute, because too many have to be found in the store.`;
  return new AsyncReplyError("OVERLOADED", detail);
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store did not write the minutes in time.");
}

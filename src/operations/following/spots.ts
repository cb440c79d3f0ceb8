import type { Observer } from "../../ports/observer.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { Runtime } from "../../ports/runtime.js";

const POLL_MS = 5_000;
/** For stores that send no notifications. */
const POLL_WITHOUT_WATCH_MS = 1_000;

/** Returns how often operations and outputs with waiting callers are read without a notification. Milliseconds. */
export function pollMsOf({ watch }: Pick<OperationStore, "watch">): number {
  return watch === undefined ? POLL_WITHOUT_WATCH_MS : POLL_MS;
}

/** A place of an operation at which callers are. They share what is read from it. */
export interface Spot<Place, Found> {
  /** Id of the operation. */
  readonly id: string;
  readonly place: Place;
  /** Number of reads that have begun. */
  readonly begun: number;
  /** Result of the last read that did not fail, and its number. Absent before the first. */
  readonly last?: { readonly found: Found; readonly number: number } | undefined;
  /** Whether something may have changed since the last read began. */
  readonly isStale: boolean;
}

/** The spots of a process. Each is read once for all who wait there, after a change and now and then. */
export interface Spots<Place, Found> {
  /** Adds a caller to a place. The spot of the first one is stale, unless this says otherwise. */
  enter(id: string, place: Place, isStale?: boolean): Spot<Place, Found>;
  /** Removes a caller, and its `wake` if it waits. The last one takes the spot along. */
  leave(spot: Spot<Place, Found>, wake?: () => void): void;
  /** Moves a caller to another place. Its spot is stale if this says so. */
  move(spot: Spot<Place, Found>, place: Place, isStale: boolean): Spot<Place, Found>;
  /** Calls `wake` once, after the next read. Begins it if the spot is stale. */
  wait(spot: Spot<Place, Found>, wake: () => void): undefined;
  /** Returns what a read finds that begins after the call. Throws its error. */
  read(spot: Spot<Place, Found>): Promise<Found>;
  /** Makes the spots of an operation stale, by default all, and reads them for those who wait. */
  changed(id?: string): void;
  /** Stops to watch the store. */
  close(): void;
}

/** Options of {@link createSpots}. */
export interface SpotsOptions<Place, Found> {
  /** Reads from a place of an operation. */
  readonly read: (id: string, place: Place) => Promise<Found>;
  /** Returns a text that only equal places share. */
  readonly keyOf: (place: Place) => string;
  /** Starts to watch for changes. Returns functions that end it, some of which are absent. */
  readonly watch: (changed: (id?: string) => void) => readonly ((() => void) | undefined)[];
  /** How often all spots are read without a notification, because some get lost. Milliseconds. */
  readonly pollMs: number;
  readonly runtime: Pick<Runtime, "clock" | "pause">;
  /** Receives one event per outage. */
  readonly observe: Observer;
}

interface OwnSpot<Place, Found> extends Spot<Place, Found> {
  place: Place;
  begun: number;
  last?: { readonly found: Found; readonly number: number } | undefined;
  isStale: boolean;
  /** Number of callers. */
  callers: number;
  readonly waiting: Set<() => void>;
  reading?: Promise<Found> | undefined;
}

/** Creates the spots of a process. They watch the store from the first caller until they are closed, and poll while there are any. */
export function createSpots<Place, Found>(options: SpotsOptions<Place, Found>): Spots<Place, Found> {
  const { keyOf, pollMs, runtime, observe } = options;
  const { clock } = runtime;
  const spots = new Map<string, Map<string, OwnSpot<Place, Found>>>();
  const due = new Set<OwnSpot<Place, Found>>();
  let isFailing = false;
  let ends: readonly ((() => void) | undefined)[] | undefined;
  let cancelPoll: (() => void) | undefined;

  function changed(id?: string): void {
    if (id === undefined) for (const each of spots.values()) haveChanged(each);
    else haveChanged(spots.get(id));
  }

  function haveChanged(alike: ReadonlyMap<string, OwnSpot<Place, Found>> | undefined): void {
    for (const spot of alike?.values() ?? []) {
      spot.isStale = true;
      if (spot.waiting.size > 0) readSoon(spot);
    }
  }

  /** Reads in the next turn, together with the other spots that change in this one. */
  function readSoon(spot: OwnSpot<Place, Found>): void {
    due.add(spot);
    if (due.size === 1) void readDue();
  }

  async function readDue(): Promise<void> {
    await runtime.pause();
    const all = [...due];
    due.clear();
    // Those who wait do not learn of a failure. The next change or the poll repeats the read.
    for (const spot of all) if (spot.waiting.size > 0) read(spot).catch(() => {});
  }

  function read(spot: OwnSpot<Place, Found>): Promise<Found> {
    spot.reading ??= readNow(spot);
    return spot.reading;
  }

  async function readNow(spot: OwnSpot<Place, Found>): Promise<Found> {
    spot.isStale = false;
    spot.begun += 1;
    const number = spot.begun;
    try {
      const found = await options.read(spot.id, spot.place);
      isFailing = false;
      spot.last = { found, number };
      return found;
    } catch (error) {
      if (!isFailing && spots.size > 0) observe({ event: "background.failed", step: "watch-read", error });
      isFailing = true;
      throw error;
    } finally {
      spot.reading = undefined;
      const woken = [...spot.waiting];
      spot.waiting.clear();
      for (const wake of woken) wake();
    }
  }

  function poll(): void {
    cancelPoll = clock.schedule(pollMs, poll);
    changed();
  }

  function stopPolling(): void {
    cancelPoll?.();
    cancelPoll = undefined;
  }

  function open(id: string, place: Place, isStale: boolean): OwnSpot<Place, Found> {
    const opened = { id, place, isStale, begun: 0, callers: 0, waiting: new Set<() => void>() };
    const alike = spots.get(id) ?? new Map();
    spots.set(id, alike.set(keyOf(place), opened));
    ends ??= options.watch(changed);
    cancelPoll ??= clock.schedule(pollMs, poll);
    return opened;
  }

  function enter(id: string, place: Place, isStale = true): OwnSpot<Place, Found> {
    const spot = spots.get(id)?.get(keyOf(place)) ?? open(id, place, isStale);
    spot.callers += 1;
    return spot;
  }

  function leave(left: Spot<Place, Found>, wake?: () => void): void {
    const spot = left as OwnSpot<Place, Found>;
    if (wake !== undefined) spot.waiting.delete(wake);
    spot.callers -= 1;
    if (spot.callers > 0) return;
    const alike = spots.get(spot.id);
    alike?.delete(keyOf(spot.place));
    if (alike?.size === 0) spots.delete(spot.id);
    if (spots.size === 0) stopPolling();
  }

  return {
    enter,
    leave,
    move: (from, place, isStale) => {
      const spot = from as OwnSpot<Place, Found>;
      const alike = spots.get(spot.id);
      const key = keyOf(place);
      if (spot.callers > 1 || spot.reading !== undefined || alike === undefined || alike.has(key)) {
        const entered = enter(spot.id, place, isStale);
        leave(spot);
        return entered;
      }
      // The caller is alone here, and nothing is read, so the spot itself can move. A new one would cost more.
      alike.delete(keyOf(spot.place));
      alike.set(key, spot);
      spot.place = place;
      spot.isStale = isStale;
      spot.last = undefined;
      return spot;
    },
    wait: (at, wake) => {
      const spot = at as OwnSpot<Place, Found>;
      spot.waiting.add(wake);
      if (spot.isStale) readSoon(spot);
      return undefined;
    },
    read: async (from) => {
      const spot = from as OwnSpot<Place, Found>;
      // It may have begun before a change of which the caller knows.
      await spot.reading?.catch(() => {});
      return read(spot);
    },
    changed,
    close: () => {
      for (const end of ends ?? []) end?.();
      stopPolling();
    },
  };
}

import { keptMs } from "../../contract/operation.js";
import type { Expired, Table } from "../../engine/table.js";
import type { Clock } from "../../ports/runtime.js";
import { createWatchers, type Watchers } from "../shared/local-notices.js";
import { Entries } from "./entries.js";
import type { MemoryEntry } from "./entry.js";
import { storeFull } from "./full.js";
import { type MemoryIdempotencyStore, type NamedKey, nameKey } from "./idempotency-store.js";
import { Pauses } from "./pauses.js";
import { statsOf } from "./stats.js";

/** The operations in memory. */
export interface MemoryTable extends Table<MemoryEntry, MemoryEntry, MemoryEntry, NamedKey> {
  readonly entries: Entries;
  /** Watchers of requests to cancel. */
  readonly cancellations: Watchers;
  /** Throws `OVERLOADED` if there is no room for this many new operations. */
  checkRoom(count: number): void;
  /** Returns whether an entry is kept because its successor exists. */
  isKept(entry: MemoryEntry): boolean;
}

/** Options of {@link createTable}. */
export interface TableOptions {
  readonly clock: Clock;
  /** Maximum number of operations. Further ones are refused, because live operations are never dropped to make room. */
  readonly maxOperations: number;
  readonly keys: MemoryIdempotencyStore;
}

/** Creates a table. Every step finishes within one turn of the event loop. */
export function createTable({ clock, maxOperations, keys }: TableOptions): MemoryTable {
  const now = (): number => clock.now();
  const entries = new Entries(now);
  const { work, places, unfinished, failed, deadlines, retention, lists } = entries;
  const pauses = new Pauses(clock);
  const cancellations = createWatchers();

  function checkRoom(count: number): void {
    if (entries.size + count > maxOperations) throw storeFull(maxOperations);
  }

  /** Returns whether an entry is kept because its successor exists. */
  function isKept({ operation: { retriedBy } }: MemoryEntry): boolean {
    return retriedBy !== undefined && entries.find(retriedBy) !== undefined;
  }

  function visible(id: string, tenant: string): MemoryEntry | undefined {
    const entry = entries.find(id);
    return entry?.operation.tenant === tenant && entry.operation.hidden !== true ? entry : undefined;
  }

  return {
    entries,
    cancellations,
    checkRoom,
    isKept,
    now,
    find: (id) => entries.find(id),
    findHeld: (id) => entries.find(id),
    has: (id) => entries.find(id) !== undefined,
    get: (id, tenant) => visible(id, tenant)?.operation,
    getMany: (ids) => [...new Set(ids)].flatMap((id) => entries.find(id)?.operation ?? []),
    list: (request) => lists.page(request),
    stats: (definition) => {
      const paused = pauses.of(definition);
      const stats = statsOf(definition, unfinished.of(definition), failed.get(definition) ?? [], now());
      return paused === undefined ? stats : { ...stats, paused };
    },
    countPending: (request) => unfinished.count(request),
    holderOf: (key) => keys.findNow(key),
    insert: (operation, initial, key, fingerprint = "") => {
      if (entries.find(operation.id) !== undefined) return;
      checkRoom(1);
      entries.add(operation, initial);
      if (key !== undefined) keys.bindNow(key, fingerprint, operation.id);
    },
    apply: (entry, step) => entries.apply(entry, step),
    applyHeld: (entry, step) => entries.apply(entry, step),
    cancelRequested: (id) => cancellations.changed(id),
    hasOverdue: () => true,
    overdue: (at, limit) => deadlines.take(at, limit),
    redriven: (entry, successor) => {
      entries.apply(entry, () => {
        entry.operation = { ...entry.operation, retriedBy: successor };
      });
    },
    expired: (limit) => retention.takeExpired(now(), limit, isKept).map(toExpired),
    keptFor: ({ id, retryOf }) => {
      const named = retryOf === undefined ? undefined : entries.find(retryOf);
      if (named?.operation.retriedBy !== id) return undefined;
      const { settledAt = 0 } = named.operation;
      return { named, keptUntil: settledAt + keptMs(named.operation) };
    },
    expire: (entry, at) => retention.expire(entry, now(), at),
    delete: (entry) => {
      const { id: operationId, tenant, definition, key } = entry.operation;
      entries.delete(entry);
      if (key !== undefined) keys.releaseNow(nameKey({ tenant, definition, key }), operationId);
    },
    pause: (definition, by) => pauses.pause(definition, by),
    resume: (definition) => pauses.resume(definition),
    isPaused: (definition) => pauses.of(definition) !== undefined,
    lost: (search, limit) => work.lost(search, limit),
    waiting: (search, limit) => work.waiting(search, limit),
    hasMoreDue: (search, than) => work.hasMoreDue(search, than),
    urgencies: (definition) => work.urgencies(definition),
    nextTenant: (definition, urgency, after) => work.nextTenant(definition, urgency, after),
    ofTenants: (search, urgency, shares) => work.ofTenants(search, urgency, shares),
    held: (definition, token) => work.held(definition, token, now()),
    hasBehind: (definition) => work.hasBehind(definition),
    nextDueAt: (search) => work.nextDueAt(search),
    running: (definition, tenant) => places.running(definition, tenant),
    countLive: (definition, tenant) => places.countLive(definition, tenant),
    releaseExpired: (definition, tenant) => places.releaseExpired(definition, tenant),
    limited: () => {},
    holderOfLane: (entry) => places.holderOfLane(entry),
    firstOfLane: (operation) => places.firstOfLane(operation),
    nameOf: (entry) => entry,
    release: (entry) => places.release(entry),
    setBehind: (entry, isBehind) => places.setBehind(entry, isBehind),
  };
}

/** Returns what the engine needs to delete an entry. */
export function toExpired(named: MemoryEntry): Expired<MemoryEntry> {
  const { id, retryOf } = named.operation;
  return retryOf === undefined ? { named, id } : { named, id, retryOf };
}

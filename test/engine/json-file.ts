import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Backend, type Clock, createMemoryBackend } from "async-request-reply";
import type { KeyReference, NewOperation, Operation, Pause } from "async-request-reply/ports";
import type { Driver } from "../../src/engine/driver.js";
import { createEntry, type Entry, isRunning, overdueFrom, release } from "../../src/engine/entry.js";
import { createOperationStore } from "../../src/engine/operation-store.js";
import { passTurn } from "../../src/engine/places.js";
import { purge } from "../../src/engine/purge.js";
import { record } from "../../src/engine/record.js";
import type { Search, Table } from "../../src/engine/table.js";

/** Entry with the data that only this store needs. */
interface StoredEntry extends Entry {
  fingerprint: string | undefined;
  isBehind: boolean;
  /** Epoch milliseconds. Absent while it is not to expire. */
  expiresAt: number | undefined;
}

/** Contents of the file. */
interface Contents {
  readonly entries: StoredEntry[];
  readonly paused: [definition: string, pause: Pause][];
}

type JsonTable = Table<StoredEntry, StoredEntry, StoredEntry, KeyReference>;

/** Creates a back end that keeps everything in a JSON file, which only this process uses. It looks at all operations for everything. */
export function createJsonFileBackend({
  path,
  clock,
}: {
  readonly path: string;
  readonly clock: Clock;
}): Backend<never> {
  const contents = existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as Contents)
    : { entries: [], paused: [] };
  const undo: (() => void)[] = [];
  const table = createTable(contents, clock, undo);
  const driver = createDriver(() => writeFileSync(path, JSON.stringify(contents)), undo);
  const { queue } = createMemoryBackend({ clock });
  const keyOf = ({ tenant, definition, key }: NewOperation): KeyReference | undefined =>
    key === undefined ? undefined : { tenant, definition, key };
  return {
    operations: createOperationStore(driver, table, () => ""),
    submissions: {
      record: (each) => driver.write("submissions", () => record(table, each, keyOf(each.operation))),
      recordMany: (all) =>
        driver.write("submissions", () => all.map((each) => record(table, each, keyOf(each.operation)))),
      findKey: (key) => driver.read(() => table.holderOf(key)),
      purge: ({ limit }) => driver.write("work", () => purge(table, limit)),
    },
    queue,
    check: async () => {},
    close: () => queue.close(),
  };
}

/** Runs the jobs of one turn of the event loop, and then writes the file once. A job that throws is undone. */
function createDriver(save: () => void, undo: (() => void)[]): Driver {
  let saved: Promise<void> | undefined;
  return {
    waitsForDisk: true,
    read: async (job) => job(),
    write: async (_, job) => {
      undo.length = 0;
      let result: ReturnType<typeof job>;
      try {
        result = job();
      } catch (error) {
        for (const step of undo.reverse()) step();
        throw error;
      }
      saved ??= Promise.resolve().then(() => {
        saved = undefined;
        save();
      });
      await saved;
      return result;
    },
  };
}

const byTime = (one: Operation, other: Operation): number =>
  one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);

function createTable({ entries, paused }: Contents, clock: Clock, undo: (() => void)[]): JsonTable {
  const now = (): number => clock.now();
  const pauseOf = (definition: string): Pause | undefined =>
    paused.find(([name]) => name === definition)?.[1];
  const byId = new Map(entries.map((entry) => [entry.operation.id, entry]));

  function remove(entry: StoredEntry): void {
    byId.delete(entry.operation.id);
    entries.splice(entries.indexOf(entry), 1);
  }

  function change(entry: StoredEntry, changes: Partial<StoredEntry>): void {
    const before = { ...entry };
    undo.push(() => Object.assign(entry, before));
    Object.assign(entry, changes);
  }

  const insert: JsonTable["insert"] = (operation, initial, _key, fingerprint) => {
    if (byId.has(operation.id)) return;
    const created = createEntry(operation, initial, now());
    const entry = { ...created, fingerprint, isBehind: false, expiresAt: undefined };
    undo.push(() => remove(entry));
    entries.push(entry);
    byId.set(operation.id, entry);
    ended(entry);
  };

  function ended(entry: StoredEntry): void {
    const { settledAt, state, retentionMs, failedRetentionMs, tenant, onEnd } = entry.operation;
    if (settledAt === undefined) return;
    const keptMs = state === "failed" ? (failedRetentionMs ?? retentionMs) : retentionMs;
    change(entry, { expiresAt: settledAt + keptMs });
    if (onEnd !== undefined) insert({ ...onEnd, tenant, hidden: true });
  }

  const apply: JsonTable["apply"] = (entry, step) => {
    const before = { ...entry };
    undo.push(() => Object.assign(entry, before));
    const result = step(now());
    if (before.operation.settledAt === undefined) ended(entry);
    if (!isRunning(entry)) passTurn({ firstOfLane, setBehind }, entry.operation);
    return result;
  };

  const unfinished = (definition: string): StoredEntry[] =>
    entries.filter(({ operation: each }) => each.definition === definition && each.settledAt === undefined);

  const leased = (definition: string): StoredEntry[] =>
    unfinished(definition)
      .filter(({ token }) => token !== undefined)
      .sort((one, other) => one.leaseEndsAt - other.leaseEndsAt);

  const withoutLease = (definition: string): StoredEntry[] =>
    unfinished(definition)
      .filter(({ token, isBehind }) => token === undefined && !isBehind)
      .sort((one, other) => one.dueAt - other.dueAt);

  const isFor = ({ operation }: StoredEntry, creates: boolean): boolean =>
    creates || operation.state !== "preparing";

  const waiting = (search: Search): StoredEntry[] =>
    withoutLease(search.definition).filter(
      (entry) =>
        entry.dueAt <= search.now &&
        isFor(entry, search.creates) &&
        (search.suspects || !entry.previousLost) &&
        search.now < (overdueFrom(entry) ?? Number.POSITIVE_INFINITY),
    );

  const running = (definition: string, tenant?: string): StoredEntry[] =>
    leased(definition).filter(
      (entry) => isRunning(entry) && (tenant === undefined || entry.operation.tenant === tenant),
    );

  const ofLane = ({ definition, tenant, lane }: Parameters<JsonTable["firstOfLane"]>[0]): StoredEntry[] =>
    unfinished(definition)
      .filter(
        ({ operation: each }) => each.tenant === tenant && each.lane === lane && each.state === "pending",
      )
      .sort((one, other) => byTime(one.operation, other.operation));

  const firstOfLane: JsonTable["firstOfLane"] = (operation) => ofLane(operation)[0];
  const setBehind: JsonTable["setBehind"] = (entry, isBehind) => change(entry, { isBehind });
  const letGo = (entry: StoredEntry): void => {
    change(entry, {});
    release(entry);
  };

  const level = (definition: string, urgency: number): StoredEntry[] =>
    withoutLease(definition).filter(({ operation: each }) => (each.urgency ?? 3) === urgency);

  const overdue = (): StoredEntry[] =>
    entries
      .filter((entry) => now() >= (overdueFrom(entry) ?? Number.POSITIVE_INFINITY))
      .sort((one, other) => (one.startBy ?? 0) - (other.startBy ?? 0));

  return {
    now,
    find: (id) => byId.get(id),
    findHeld: (id) => byId.get(id),
    has: (id) => byId.has(id),
    get: (id, tenant) => {
      const operation = byId.get(id)?.operation;
      return operation?.tenant === tenant && operation.hidden !== true ? operation : undefined;
    },
    getMany: (ids) => [...new Set(ids)].flatMap((id) => byId.get(id)?.operation ?? []),
    list: ({ tenant, definition, state, createdFrom, createdBefore, after, internal = false, limit }) =>
      entries
        .map(({ operation }) => operation)
        .filter(
          (each) =>
            (internal || (each.hidden !== true && each.state !== "preparing")) &&
            (tenant === undefined || each.tenant === tenant) &&
            (definition === undefined || each.definition === definition) &&
            (state === undefined || each.state === state) &&
            each.createdAt >= (createdFrom ?? 0) &&
            each.createdAt < (createdBefore ?? Number.POSITIVE_INFINITY) &&
            (after === undefined || byTime(each, { ...each, ...after }) < 0),
        )
        .sort((one, other) => byTime(other, one))
        .slice(0, limit)
        .map(({ input, result, resource, progress, meta, onEnd, ...listed }) => listed),
    stats: (definition) => statsOf(definition, entries, pauseOf(definition), now()),
    countPending: ({ definition, tenant, most }) => {
      const found = unfinished(definition).filter(
        ({ operation }) => tenant === undefined || operation.tenant === tenant,
      );
      return Math.min(found.length, most);
    },
    holderOf: ({ tenant, definition, key }) => {
      const holder = entries.find(
        ({ operation: each, fingerprint }) =>
          fingerprint !== undefined &&
          each.key === key &&
          each.tenant === tenant &&
          each.definition === definition,
      );
      return holder && { operationId: holder.operation.id, fingerprint: `${holder.fingerprint}` };
    },
    insert,
    apply,
    applyHeld: apply,
    cancelRequested: () => {},
    hasOverdue: () => overdue().length > 0,
    overdue: (_, limit) => overdue().slice(0, limit),
    redriven: (entry, retriedBy) =>
      change(entry, { operation: { ...entry.operation, retriedBy }, expiresAt: undefined }),
    expired: (limit) =>
      entries
        .filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now())
        .sort((one, other) => (one.expiresAt ?? 0) - (other.expiresAt ?? 0))
        .slice(0, limit)
        .map((named) => {
          const { id, retryOf } = named.operation;
          return retryOf === undefined ? { named, id } : { named, id, retryOf };
        }),
    keptFor: ({ id, retryOf = "" }) => {
      const named = byId.get(retryOf);
      if (named?.operation.retriedBy !== id) return undefined;
      const { settledAt = 0, retentionMs, failedRetentionMs = retentionMs } = named.operation;
      return { named, keptUntil: settledAt + failedRetentionMs };
    },
    expire: (entry, expiresAt) => change(entry, { expiresAt }),
    delete: (entry) => {
      remove(entry);
      undo.push(() => {
        entries.push(entry);
        byId.set(entry.operation.id, entry);
      });
    },
    isPaused: (definition) => pauseOf(definition) !== undefined,
    pause: (definition, by) => {
      if (pauseOf(definition) === undefined)
        paused.push([definition, by === undefined ? { since: now() } : { since: now(), by }]);
    },
    resume: (definition) => {
      paused.splice(0, paused.length, ...paused.filter(([name]) => name !== definition));
    },
    lost: ({ definition, now: at, creates, suspects, paused: isPaused }, limit) =>
      leased(definition)
        .filter((entry) => {
          const { state, cancelRequested = false } = entry.operation;
          const mayBegin = suspects && (!isPaused || state === "preparing");
          return entry.leaseEndsAt <= at && isFor(entry, creates) && (cancelRequested || mayBegin);
        })
        .slice(0, limit),
    waiting: (search, limit) => waiting(search).slice(0, limit),
    hasMoreDue: ({ definition, now: at }, than) =>
      withoutLease(definition).filter(({ dueAt }) => dueAt <= at).length > than,
    urgencies: (definition) =>
      [...new Set(withoutLease(definition).map(({ operation }) => operation.urgency ?? 3))].sort(),
    nextTenant: (definition, urgency, after) => {
      const tenants = level(definition, urgency).map(({ operation }) => operation.tenant);
      const [tenant] = tenants.filter((each) => each > after).sort();
      const oldest = level(definition, urgency).find(({ operation: each }) => each.tenant === tenant);
      return oldest && tenant !== undefined ? { tenant, oldest, dueAt: oldest.dueAt } : undefined;
    },
    ofTenants: (search, urgency, shares) =>
      shares.flatMap(({ tenant, most }) =>
        waiting(search)
          .filter(({ operation: each }) => each.tenant === tenant && (each.urgency ?? 3) === urgency)
          .slice(0, most),
      ),
    held: (definition, token) =>
      leased(definition).filter((entry) => entry.token === token && entry.leaseEndsAt > now()),
    hasBehind: (definition) => unfinished(definition).some(({ isBehind }) => isBehind),
    nextDueAt: ({ definition, now: at, creates }) => {
      const times = unfinished(definition)
        .filter((entry) => !entry.isBehind && isFor(entry, creates))
        .map(({ token, dueAt, leaseEndsAt }) => (token === undefined ? dueAt : leaseEndsAt));
      const next = Math.min(...times.filter((time) => time > at));
      return next === Number.POSITIVE_INFINITY ? undefined : next;
    },
    running: (definition, tenant) => {
      const found = running(definition, tenant);
      return { count: found.length, firstEndsAt: () => found[0]?.leaseEndsAt ?? 0 };
    },
    countLive: (definition, tenant) =>
      running(definition, tenant).filter(({ leaseEndsAt }) => leaseEndsAt > now()).length,
    releaseExpired: (definition, tenant) => {
      for (const entry of running(definition, tenant))
        if (entry.leaseEndsAt <= now() && entry.operation.cancelRequested !== true) letGo(entry);
    },
    limited: () => {},
    holderOfLane: (entry) => {
      const holder = ofLane(entry.operation).find((each) => each !== entry && each.token !== undefined);
      return holder && { named: holder, leaseEndsAt: holder.leaseEndsAt };
    },
    firstOfLane,
    nameOf: (entry) => entry,
    release: letGo,
    setBehind,
  };
}

function statsOf(
  definition: string,
  entries: readonly StoredEntry[],
  pause: Pause | undefined,
  now: number,
): ReturnType<JsonTable["stats"]> {
  const own = entries.filter(({ operation }) => operation.definition === definition);
  const pending = own.filter(({ operation }) => operation.state === "pending");
  const dueAt = ({ token, ...entry }: StoredEntry): number =>
    token === undefined ? entry.dueAt : entry.leaseEndsAt;
  const bounded = (count: number) => ({ count: Math.min(count, 10_000), more: count > 10_000 });
  const due = pending.filter((entry) => dueAt(entry) <= now);
  const later = pending.filter((entry) => dueAt(entry) > now);
  const failed = own.filter(
    ({ operation: { state, retriedBy } }) => state === "failed" && retriedBy === undefined,
  );
  return {
    definition,
    due: bounded(due.length),
    running: bounded(later.filter(({ token }) => token !== undefined).length),
    scheduled: bounded(later.filter(({ token }) => token === undefined).length),
    failed: bounded(failed.length),
    ...(due.length === 0 ? {} : { oldestDueMs: now - Math.min(...due.map(dueAt)) }),
    ...(pause === undefined ? {} : { paused: pause }),
  };
}

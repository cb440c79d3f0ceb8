import type { Operation } from "../../contract/operation.js";
import type { Observer } from "../../ports/observer.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { Runtime } from "../../ports/runtime.js";
import { createOnce, type Shared } from "./shared.js";

/** A state of an operation, shared by all who wait for it. */
export interface Snapshot extends Shared {
  readonly operation: Operation;
}

/** Creates a snapshot. It keeps everything that `once` makes for as long as it lives itself. */
export function createSnapshot(operation: Operation): Snapshot {
  return { operation, once: createOnce() };
}

/** A caller that waits for changes of an operation. */
export interface Subscriber {
  readonly tenant: string;
  /** Receives a state of the operation. It replaces an earlier one that was not taken. */
  offer(snapshot: Snapshot): void;
  /** Called if the tenant has no such operation. */
  end(): void;
}

/** Subscribers by id of their operation. */
export type Subscribers = ReadonlyMap<string, ReadonlySet<Subscriber>>;

/** Dependencies of {@link createReader}. */
export interface ReaderOptions {
  readonly operations: OperationStore;
  readonly runtime: Pick<Runtime, "pause">;
  readonly observe: Observer;
  /** Applies the time limit of store calls. */
  readonly inTime: <T>(call: Promise<T>) => Promise<T>;
}

const MAX_BATCH = 500;

/**
 * Creates a function that reads a changed operation for its subscribers. There is one batch at a time, and operations
 * that change meanwhile are read by the next one. If the store fails, nothing is read until the next call. The
 * observer receives one event per outage.
 */
export function createReader(
  { operations, runtime, observe, inTime }: ReaderOptions,
  subscribers: Subscribers,
): (id: string) => void {
  const changed = new Set<string>();
  let reading = false;
  let failing = false;

  async function readChanged(): Promise<void> {
    reading = true;
    while (changed.size > 0) {
      // Operations that change in the same turn share the batch.
      await runtime.pause();
      try {
        await readNext();
        failing = false;
      } catch (error) {
        changed.clear();
        if (!failing && subscribers.size > 0)
          observe({ event: "background.failed", step: "watch-read", error });
        failing = true;
      }
    }
    reading = false;
  }

  async function readNext(): Promise<void> {
    const waiting = takeBatch(changed, subscribers);
    if (waiting.size === 0) return;
    const tenants = new Map(
      [...waiting].map(([id, each]) => [id, new Set(each.map(({ tenant }) => tenant))]),
    );
    const found = await inTime(readBatch(operations, tenants));
    for (const [id, each] of waiting) deliver(each, found.get(id));
  }

  return (id) => {
    if (!subscribers.has(id)) return;
    changed.add(id);
    if (!reading) void readChanged();
  };
}

/** Copies the subscribers, because one that comes during the read may already know a newer state. */
function takeBatch(
  changed: Set<string>,
  subscribers: Subscribers,
): ReadonlyMap<string, readonly Subscriber[]> {
  const ids = [...changed].slice(0, MAX_BATCH);
  for (const id of ids) changed.delete(id);
  return new Map(
    ids.map((id) => [id, [...(subscribers.get(id) ?? [])]] as const).filter(([, each]) => each.length > 0),
  );
}

function deliver(waiting: readonly Subscriber[], operation: Operation | undefined): void {
  const snapshot = operation && createSnapshot(operation);
  for (const subscriber of waiting) {
    if (snapshot?.operation.tenant === subscriber.tenant) subscriber.offer(snapshot);
    else subscriber.end();
  }
}

/** Tenants that wait for an operation, by id of the operation. */
type Wanted = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads operations. Returns the visible ones by id. They can belong to a tenant that does not wait for them. */
async function readBatch(
  operations: OperationStore,
  wanted: Wanted,
): Promise<ReadonlyMap<string, Operation>> {
  const found = await operations.getMany([...wanted.keys()]);
  const visible = found.filter(({ hidden }) => hidden !== true);
  return new Map(visible.map((operation) => [operation.id, operation]));
}

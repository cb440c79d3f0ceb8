import type { Operation } from "../../contract/operation.js";
import type { ListedOperation, ListPosition, ListRequest } from "../../ports/operation-reads.js";
import { getOrAdd } from "./collections/get-or-add.js";
import { Ordered } from "./collections/ordered.js";
import type { MemoryEntry } from "./entry.js";
import type { Unfinished } from "./unfinished.js";

/** Entries that lists search. */
interface Listed {
  all(): Iterable<MemoryEntry>;
  readonly unfinished: Pick<Unfinished, "all" | "of">;
  /** By definition. */
  readonly failed: ReadonlyMap<string, Iterable<MemoryEntry>>;
}

/** Lists operations, and looks at few that are not listed. Submissions pay for its indexes once there was a list that needs them. */
export class Lists {
  readonly #entries: Listed;
  /** All entries by the time of their creation. */
  #all: Ordered<MemoryEntry> | undefined;
  /** The same by tenant. */
  #ofTenants: Map<string, Ordered<MemoryEntry>> | undefined;

  constructor(entries: Listed) {
    this.#entries = entries;
  }

  /** Follows an entry that is new. */
  add(entry: MemoryEntry): void {
    const { tenant, createdAt } = entry.operation;
    this.#all?.put(entry, createdAt);
    if (this.#ofTenants !== undefined)
      getOrAdd(this.#ofTenants, tenant, () => new Ordered<MemoryEntry>()).put(entry, createdAt);
  }

  delete(entry: MemoryEntry): void {
    const { tenant } = entry.operation;
    this.#all?.remove(entry);
    const ofTenant = this.#ofTenants?.get(tenant);
    ofTenant?.remove(entry);
    if (ofTenant?.size === 0) this.#ofTenants?.delete(tenant);
  }

  /** Returns a page, newest first. */
  page(request: ListRequest): ListedOperation[] {
    const { definition, state } = request;
    const { unfinished, failed } = this.#entries;
    if (state === "failed") {
      const parts = definition === undefined ? failed.values() : [failed.get(definition) ?? []];
      return pageOf(joined(parts), request);
    }
    if (state === undefined || state === "completed")
      return pageOf(this.#newestFirst(request), request, true);
    return pageOf(definition === undefined ? unfinished.all() : unfinished.of(definition), request);
  }

  #newestFirst({ tenant, createdBefore, after }: ListRequest): Iterable<MemoryEntry> {
    const most = Math.min(after?.createdAt ?? LATEST, createdBefore ?? LATEST);
    if (tenant === undefined) return this.#allInOrder().downFrom(most);
    return this.#byTenant().get(tenant)?.downFrom(most) ?? [];
  }

  #allInOrder(): Ordered<MemoryEntry> {
    if (this.#all !== undefined) return this.#all;
    this.#all = new Ordered<MemoryEntry>();
    for (const entry of inOrder(this.#entries.all())) this.#all.put(entry, entry.operation.createdAt);
    return this.#all;
  }

  #byTenant(): Map<string, Ordered<MemoryEntry>> {
    if (this.#ofTenants !== undefined) return this.#ofTenants;
    this.#ofTenants = new Map();
    const created = this.#ofTenants;
    for (const entry of inOrder(this.#entries.all()))
      getOrAdd(created, entry.operation.tenant, () => new Ordered<MemoryEntry>()).put(
        entry,
        entry.operation.createdAt,
      );
    return created;
  }
}

function* joined(parts: Iterable<Iterable<MemoryEntry>>): Iterable<MemoryEntry> {
  for (const part of parts) yield* part;
}

const LATEST = Number.POSITIVE_INFINITY;

/** After the clock was set back, an entry can be newer than one that was created later. */
function inOrder(entries: Iterable<MemoryEntry>): MemoryEntry[] {
  return [...entries].sort((one, other) => one.operation.createdAt - other.operation.createdAt);
}

/** Number of operations to collect beyond twice the page before the oldest are dropped. */
const SPARE = 1_000;

/** Returns a page of these operations, newest first. `ordered` says that they come in the order of their creation, newest first. */
function pageOf(entries: Iterable<MemoryEntry>, request: ListRequest, ordered = false): ListedOperation[] {
  const { limit, createdFrom = 0 } = request;
  let found: Operation[] = [];
  const cut = (): Operation[] => found.sort(newestFirst).slice(0, limit);
  for (const { operation } of entries) {
    if (ordered && isPast(operation, found, limit, createdFrom)) break;
    if (!isAskedFor(operation, request)) continue;
    found.push(operation);
    // Sorting everything at the end would take longer and more memory.
    if (found.length > SPARE + 2 * limit) found = cut();
  }
  return cut().map(toListed);
}

/** Returns whether neither this operation nor an older one can be on a page. Those of one millisecond may be in any order. */
function isPast(
  { createdAt }: Operation,
  found: readonly Operation[],
  limit: number,
  createdFrom: number,
): boolean {
  return createdAt < createdFrom || (found.length >= limit && createdAt < (found.at(-1)?.createdAt ?? 0));
}

function isAskedFor(operation: Operation, request: ListRequest): boolean {
  const { tenant, definition, state, createdFrom, createdBefore, after, internal = false } = request;
  return (
    (internal || (operation.hidden !== true && operation.state !== "preparing")) &&
    (tenant === undefined || operation.tenant === tenant) &&
    (definition === undefined || operation.definition === definition) &&
    (state === undefined || operation.state === state) &&
    (createdFrom === undefined || operation.createdAt >= createdFrom) &&
    (createdBefore === undefined || operation.createdAt < createdBefore) &&
    (after === undefined || newestFirst(after, operation) < 0)
  );
}

function newestFirst(one: ListPosition, other: ListPosition): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  if (one.id === other.id) return 0;
  return one.id > other.id ? -1 : 1;
}

function toListed(operation: Operation): ListedOperation {
  const { input, result, resource, progress, meta, onEnd, ...listed } = operation;
  return listed;
}

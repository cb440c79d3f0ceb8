import { DEFAULT_URGENCY, isTerminal } from "../../contract/operation.js";
import { hasLiveLease, overdueFrom } from "../../engine/entry.js";
import type { Search } from "../../engine/table.js";
import { ByTenant } from "./collections/by-tenant.js";
import { getOrAdd } from "./collections/get-or-add.js";
import { Ordered } from "./collections/ordered.js";
import type { MemoryEntry } from "./entry.js";

/** Unfinished entries of one definition, as claims search them. */
class DefinitionWork {
  /** Entries without a lease, by the times when they are due. Those behind in their lane are not among them. */
  readonly waiting = new Ordered<MemoryEntry>();
  /** The same, by urgency and tenant. */
  readonly levels: (ByTenant<MemoryEntry> | undefined)[] = [];
  /** Entries with a lease, by its end. */
  readonly leased = new Ordered<MemoryEntry>();
  /** Entries that wait for their turn in their lane. */
  readonly behind = new Set<MemoryEntry>();
}

/** Finds the work of a store for claims. */
export class Work {
  readonly #definitions = new Map<string, DefinitionWork>();

  /** Follows an entry that is new or has changed. */
  follow(entry: MemoryEntry): void {
    const { operation, token, dueAt, leaseEndsAt } = entry;
    const { tenant, urgency = DEFAULT_URGENCY } = operation;
    const work = getOrAdd(this.#definitions, operation.definition, () => new DefinitionWork());
    const hasEnded = isTerminal(operation.state);
    if (!hasEnded && token !== undefined) work.leased.put(entry, leaseEndsAt);
    else work.leased.remove(entry);
    if (hasEnded || token !== undefined) work.behind.delete(entry);
    if (hasEnded || token !== undefined || work.behind.has(entry)) {
      work.waiting.remove(entry);
      work.levels[urgency]?.remove(tenant, entry);
    } else {
      work.waiting.put(entry, dueAt);
      const level = work.levels[urgency] ?? new ByTenant<MemoryEntry>();
      work.levels[urgency] = level;
      level.put(tenant, entry, dueAt);
    }
  }

  /** Notes whether an entry waits for its turn in its lane. */
  setBehind(entry: MemoryEntry, isBehind: boolean): void {
    const behind = this.#definitions.get(entry.operation.definition)?.behind;
    if (behind === undefined || behind.has(entry) === isBehind) return;
    if (isBehind) behind.add(entry);
    else behind.delete(entry);
    this.follow(entry);
  }

  lost(search: Search & { readonly paused: boolean }, limit: number): MemoryEntry[] {
    const { definition, now, creates, suspects, paused } = search;
    return taken(this.#definitions.get(definition)?.leased.from() ?? [], limit, (entry) => {
      if (hasLiveLease(entry, now)) return "end";
      const { state, cancelRequested = false } = entry.operation;
      const isPreparing = state === "preparing";
      return (creates || !isPreparing) && (cancelRequested || (suspects && (!paused || isPreparing)));
    });
  }

  waiting(search: Search, limit: number): MemoryEntry[] {
    const entries = this.#definitions.get(search.definition)?.waiting.from() ?? [];
    return taken(entries, limit, (entry) => (entry.dueAt > search.now ? "end" : mayBegin(entry, search)));
  }

  hasMoreDue({ definition, now }: Search, than: number): boolean {
    const entries = this.#definitions.get(definition)?.waiting.from() ?? [];
    return taken(entries, than + 1, ({ dueAt }) => (dueAt > now ? "end" : true)).length > than;
  }

  urgencies(definition: string): number[] {
    const levels = this.#definitions.get(definition)?.levels ?? [];
    return [...levels.keys()].filter((urgency) => (levels[urgency]?.size ?? 0) > 0);
  }

  nextTenant(
    definition: string,
    urgency: number,
    after: string,
  ): { readonly tenant: string; readonly oldest: MemoryEntry; readonly dueAt: number } | undefined {
    const level = this.#definitions.get(definition)?.levels[urgency];
    const tenant = level?.next(after);
    if (level === undefined || tenant === undefined) return undefined;
    const [oldest] = taken(level.of(tenant), 1, () => true);
    return oldest && { tenant, oldest, dueAt: oldest.dueAt };
  }

  ofTenants(
    search: Search,
    urgency: number,
    shares: readonly { readonly tenant: string; readonly most: number }[],
  ): MemoryEntry[] {
    const level = this.#definitions.get(search.definition)?.levels[urgency];
    return shares.flatMap(({ tenant, most }) =>
      taken(level?.of(tenant) ?? [], most, (entry) =>
        entry.dueAt > search.now ? "end" : mayBegin(entry, search),
      ),
    );
  }

  held(definition: string, token: string, now: number): MemoryEntry[] {
    const entries = this.#definitions.get(definition)?.leased.from(now) ?? [];
    return taken(entries, Number.POSITIVE_INFINITY, (entry) => entry.token === token);
  }

  hasBehind(definition: string): boolean {
    return (this.#definitions.get(definition)?.behind.size ?? 0) > 0;
  }

  /** Returns when the first lease of a definition ends. Infinity if no entry has one. */
  firstLeaseEndsAt(definition: string): number {
    const [first] = taken(this.#definitions.get(definition)?.leased.from() ?? [], 1, () => true);
    return first?.leaseEndsAt ?? Number.POSITIVE_INFINITY;
  }

  nextDueAt({ definition, now, creates }: Search): number | undefined {
    const work = this.#definitions.get(definition);
    const [next] = taken(work?.waiting.from(now) ?? [], 1, (entry) => isFor(entry, creates));
    const [lost] = taken(work?.leased.from(now) ?? [], 1, (entry) => isFor(entry, creates));
    if (next === undefined || lost === undefined) return next?.dueAt ?? lost?.leaseEndsAt;
    return Math.min(next.dueAt, lost.leaseEndsAt);
  }
}

function isFor({ operation }: MemoryEntry, creates: boolean): boolean {
  return creates || operation.state !== "preparing";
}

function mayBegin(entry: MemoryEntry, { now, creates, suspects }: Search): boolean {
  return (
    isFor(entry, creates) &&
    (suspects || !entry.previousLost) &&
    now < (overdueFrom(entry) ?? Number.POSITIVE_INFINITY)
  );
}

/** Returns the first entries that are wanted, up to `limit`. `end` says that neither this nor a later one is. */
function taken(
  entries: Iterable<MemoryEntry>,
  limit: number,
  isWanted: (entry: MemoryEntry) => boolean | "end",
): MemoryEntry[] {
  const found: MemoryEntry[] = [];
  if (limit <= 0) return found;
  for (const entry of entries) {
    const wanted = isWanted(entry);
    if (wanted === "end") break;
    if (wanted) found.push(entry);
    if (found.length >= limit) break;
  }
  return found;
}

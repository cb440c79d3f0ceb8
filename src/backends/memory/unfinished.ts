import type { PendingRequest } from "../../ports/operation-reads.js";
import { Chain } from "./collections/chain.js";
import { getOrAdd } from "./collections/get-or-add.js";
import type { MemoryEntry } from "./entry.js";

/** Numbers of unfinished operations of one definition. */
interface Counts {
  total: number;
  readonly ofTenants: Map<string, number>;
}

/** Unfinished operations by definition, so that counts and lists of them look at no others. */
export class Unfinished {
  readonly #entries = new Map<string, Chain<MemoryEntry>>();
  /** Of the definitions whose operations were counted once. */
  readonly #counts = new Map<string, Counts>();

  add(entry: MemoryEntry): void {
    const { definition } = entry.operation;
    getOrAdd(this.#entries, definition, () => new Chain<MemoryEntry>()).append(entry);
    count(this.#counts.get(definition), entry, 1);
  }

  /** Notes that an operation has ended. Joining another chain takes it out of this one. */
  ended(entry: MemoryEntry): void {
    count(this.#counts.get(entry.operation.definition), entry, -1);
  }

  of(definition: string): Iterable<MemoryEntry> {
    return this.#entries.get(definition) ?? [];
  }

  *all(): Iterable<MemoryEntry> {
    for (const entries of this.#entries.values()) yield* entries;
  }

  /** Counts those of a definition, of all tenants or of one, up to `most`. */
  count({ definition, tenant, most }: PendingRequest): number {
    const { total, ofTenants } = getOrAdd(this.#counts, definition, () => this.#countAll(definition));
    return Math.min(tenant === undefined ? total : (ofTenants.get(tenant) ?? 0), most);
  }

  #countAll(definition: string): Counts {
    const counts: Counts = { total: 0, ofTenants: new Map() };
    for (const entry of this.of(definition)) count(counts, entry, 1);
    return counts;
  }
}

function count(counts: Counts | undefined, { operation: { tenant } }: MemoryEntry, change: 1 | -1): void {
  if (counts === undefined) return;
  counts.total += change;
  const ofTenant = (counts.ofTenants.get(tenant) ?? 0) + change;
  if (ofTenant === 0) counts.ofTenants.delete(tenant);
  else counts.ofTenants.set(tenant, ofTenant);
}

import type { NewOperation, Operation } from "../contract/operation.js";
import type { KeyReference } from "../ports/idempotency-store.js";
import type {
  DefinitionStats,
  ListedOperation,
  ListRequest,
  PendingRequest,
} from "../ports/operation-reads.js";
import type { InitialState } from "../ports/operation-store.js";
import type { Entry, Stepped } from "./entry.js";

/** Conditions of a search for work. */
export interface Search {
  readonly definition: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether operations that are `preparing` may begin. */
  readonly creates: boolean;
  /** Whether operations may begin whose last attempt was lost. */
  readonly suspects: boolean;
}

/** A tenant, with its oldest operation of one urgency. */
export interface TenantWithWork<Found> {
  readonly tenant: string;
  readonly oldest: Found;
  /** When the oldest is due. Epoch milliseconds. */
  readonly dueAt: number;
}

/** Operations of one tenant that may begin. */
interface Share<Found> extends TenantWithWork<Found> {
  /** How many, at most. */
  readonly most: number;
}

/** Searches for work. `Found` is an entry, and `Named` stands for one that is not read yet. */
export interface ClaimSearches<Found extends Entry, Named = Found> {
  /** Returns the time of the store's clock. Epoch milliseconds. */
  now(): number;
  /** Returns whether a definition is paused. */
  isPaused(definition: string): boolean;
  /**
   * Returns entries whose lease has ended, the longest ended first. Those that are being cancelled are always among them. With
   * `paused`, others are only if they are `preparing`.
   */
  lost(search: Search & { readonly paused: boolean }, limit: number): readonly Found[];
  /** Returns entries that are due and have no lease, in the order of their due times, without those behind in their lane. */
  waiting(search: Search, limit: number): readonly Found[];
  /** Returns whether more entries than these are due and have no lease. */
  hasMoreDue(search: Search, than: number): boolean;
  /** Returns the urgencies of entries without a lease, the most urgent first. */
  urgencies(definition: string): readonly number[];
  /** Returns the next tenant in the order of names that has entries of this urgency without a lease. */
  nextTenant(definition: string, urgency: number, after: string): TenantWithWork<Named> | undefined;
  /** Returns due entries of these tenants, the oldest of each first, and those of the first tenant first. */
  ofTenants(search: Search, urgency: number, shares: readonly Share<Named>[]): readonly Found[];
  /** Returns the entries that hold a lease with this token. */
  held(definition: string, token: string): readonly Found[];
  /** Returns whether any entry waits for its turn in its lane. */
  hasBehind(definition: string): boolean;
  /** Returns when an entry without a lease, or the lease of one, is due next after `now`. Epoch milliseconds. */
  nextDueAt(search: Search): number | undefined;
}

/** Running attempts that count for a limit. */
export interface Running {
  readonly count: number;
  /** Returns when the first of their leases ends. Epoch milliseconds. Any number if nothing runs. */
  firstEndsAt(): number;
}

/** Searches and steps for limits and lanes. `Named` stands for an entry that is not read yet. */
export interface PlaceTable<Found extends Entry, Named = Found> {
  /** Returns the time of the store's clock. Epoch milliseconds. */
  now(): number;
  /** Returns the attempts of a definition that run, of all tenants or of one. */
  running(definition: string, tenant?: string): Running;
  /** Returns the number of those of a tenant whose lease has not ended. */
  countLive(definition: string, tenant: string): number;
  /** Takes away the expired leases of these attempts, except for those that are being cancelled. */
  releaseExpired(definition: string, tenant?: string): void;
  /** Notes that an entry begins under a limit. */
  limited(entry: Found): void;
  /** Returns the other entry of the lane that has a lease, which may have expired. */
  holderOfLane(entry: Found): { readonly named: Named; readonly leaseEndsAt: number } | undefined;
  /** Returns the first entry of a lane: the oldest one that has not ended. */
  firstOfLane(operation: Pick<Operation, "definition" | "tenant" | "lane">): Named | undefined;
  /** Returns what stands for an entry. */
  nameOf(entry: Found): Named;
  /** Takes the expired lease of an entry away. The entry is due since the end of that lease. */
  release(named: Named): void;
  /** Notes whether an entry waits for its turn in its lane. If it does, no search finds it. */
  setBehind(named: Named, isBehind: boolean): void;
}

/** The searches and steps of a claim, within one atomic step. */
export interface ClaimTable<Found extends Entry, Named = Found>
  extends ClaimSearches<Found, Named>,
    PlaceTable<Found, Named> {
  /** Returns an entry by its id, also one that has ended. */
  find(id: string): Found | undefined;
  /**
   * Runs a step of the state machine, and saves what it changed. An entry that ends creates its follow-up, unless the id of that
   * exists, and lets the next one of its lane have its turn, as one does whose attempt ends.
   */
  apply<Result>(entry: Found, step: (now: number) => Result): Result;
}

/** The operation that a key is bound to. */
export interface Holder {
  readonly operationId: string;
  readonly fingerprint: string;
}

/** An operation whose retention is over. */
export interface Expired<Named> extends Pick<Operation, "id" | "retryOf"> {
  readonly named: Named;
}

/**
 * Everything that the engine needs of a store. `Found` is an entry, `Held` the part of one that renewals and settlements need,
 * `Named` stands for an entry that is not read yet, and `Key` is a key as the store finds it.
 */
export interface Table<Found extends Entry, Named, Held extends Entry<Stepped>, Key extends KeyReference>
  extends ClaimTable<Found, Named> {
  /** Returns an operation of this tenant that is not hidden. */
  get(id: string, tenant: string): Operation | undefined;
  /** Returns these operations, of any tenant and without repetition. */
  getMany(ids: readonly string[]): readonly Operation[];
  list(request: ListRequest): readonly ListedOperation[];
  stats(definition: string): DefinitionStats;
  countPending(request: PendingRequest): number;
  /** Returns the part of an entry that the renewal or settlement of an attempt needs. */
  findHeld(id: string): Held | undefined;
  /** Does with such a part what `apply` does. */
  applyHeld<Result>(entry: Held, step: (now: number) => Result): Result;
  /** Returns whether an operation exists. */
  has(id: string): boolean;
  /** Returns the operation that a key is bound to. */
  holderOf(key: Key): Holder | undefined;
  /** Creates an operation and binds its key, unless its id exists. Throws `OVERLOADED` if the store is full. */
  insert(operation: NewOperation, initial?: InitialState, key?: Key, fingerprint?: string): void;
  /** Notes for watchers that the cancellation of a running operation was requested. */
  cancelRequested(id: string): void;
  /** Returns whether any operation may be overdue. */
  hasOverdue(): boolean;
  /** Returns operations that are overdue at a time, the longest overdue first. */
  overdue(at: number, limit: number): readonly Found[];
  /** Notes the successor of a failed operation, which does not expire from then on. */
  redriven(entry: Found, successor: string): void;
  /** Returns operations whose retention is over, the longest expired first. */
  expired(limit: number): readonly Expired<Named>[];
  /** Returns the operation that was kept for a successor, and when its own retention ends. Epoch milliseconds. */
  keptFor(successor: Expired<Named>): { readonly named: Named; readonly keptUntil: number } | undefined;
  /** Lets an operation that was kept expire at a time. Epoch milliseconds. */
  expire(named: Named, at: number): void;
  /** Deletes an operation and its key. */
  delete(named: Named): void;
  /** Pauses a definition, unless it is paused. */
  pause(definition: string, by?: string): void;
  resume(definition: string): void;
}

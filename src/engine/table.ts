import type { RunningLimits } from "../ports/claim.js";
import type { Entry } from "./entry.js";

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

/** The searches and steps of a claim, within one atomic step. */
export interface ClaimTable<Found extends Entry, Named = Found> extends ClaimSearches<Found, Named> {
  /** Returns whether a place is free for an entry that is due. If it waits for its lane, no search finds it until its turn. */
  hasPlace(entry: Found, limits: RunningLimits | undefined): boolean;
  /** Returns the free places of a definition, and for a tenant without regard to the others. */
  places(definition: string, limits: RunningLimits): FreePlaces;
  /** Returns an entry by its id, also one that has ended. */
  find(id: string): Found | undefined;
  /** Runs a step of the state machine, and saves what it changed. */
  apply<Result>(entry: Found, step: (now: number) => Result): Result;
}

/** Free places of one definition. */
export interface FreePlaces {
  readonly free: number;
  freeFor(tenant: string): number;
}

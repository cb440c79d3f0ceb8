import {
  isTerminal,
  keptMs,
  type NewOperation,
  type Operation,
  type Settlement,
} from "../../contract/operation.js";
import { claim } from "../../engine/claim.js";
import { cancel, endIfOverdue, isRepeatedCreation, overdueFrom, renew, settle } from "../../engine/entry.js";
import { knownRedrive, successorOf } from "../../engine/redrive.js";
import type { ClaimTable } from "../../engine/table.js";
import { Turns } from "../../engine/turns.js";
import type { Claimed, ClaimRequest } from "../../ports/claim.js";
import type {
  DefinitionStats,
  ListedOperation,
  ListRequest,
  PendingRequest,
} from "../../ports/operation-reads.js";
import type {
  CancelOutcome,
  CreateOutcome,
  ExpiredOperation,
  InitialState,
  Lease,
  OperationStore,
  OverdueOperation,
  RedriveResult,
  Renewal,
  RenewResult,
  SettleResult,
} from "../../ports/operation-store.js";
import type { Clock } from "../../ports/runtime.js";
import { createWatchers, type Watchers } from "../shared/watchers.js";
import { createClaimTable } from "./claim-table.js";
import { Chain } from "./collections/chain.js";
import { getOrAdd } from "./collections/get-or-add.js";
import { Deadlines } from "./deadlines.js";
import { createMemoryEntry, type MemoryEntry } from "./entry.js";
import { storeFull } from "./full.js";
import { candidates, countOf, pageOf, statsOf } from "./operator-queries.js";
import type { Pauses } from "./pauses.js";
import { Places } from "./places.js";
import { Retention } from "./retention.js";
import { Work } from "./work.js";

export interface MemoryOperationStoreOptions {
  readonly clock: Clock;
  /**
   * Maximum number of operations. Further ones are refused with `OVERLOADED`, because live operations are never
   * dropped to make room. Follow-ups may exceed the limit, because the end of an operation must not fail.
   */
  readonly maxOperations: number;
  readonly pauses: Pauses;
}

/** Keeps operations in memory. Every method is atomic, because it finishes within one turn of the event loop. */
export class MemoryOperationStore implements OperationStore {
  readonly keeps = ["deadlines", "lanes", "limits"] as const;
  readonly #clock: Clock;
  readonly #maxOperations: number;
  readonly #pauses: Pauses;
  readonly #entries = new Map<string, MemoryEntry>();
  /** By definition, so that counts and lists of unfinished operations look at no others. */
  readonly #unfinished = new Map<string, Chain<MemoryEntry>>();
  readonly #retention = new Retention<MemoryEntry>();
  readonly #deadlines = new Deadlines<MemoryEntry>();
  /** Which operations run, and which others have a place. */
  readonly #places = new Places(
    (definition) => this.#unfinished.get(definition) ?? [],
    (entry) => this.#work.follow(entry),
    (entry) => this.#work.setBehind(entry, false),
  );
  readonly #work = new Work();
  readonly #table: ClaimTable<MemoryEntry>;
  readonly #turns = new Turns(() => "");
  /** By definition, so that counts and lists of failed operations look at no others. */
  readonly #failed = new Map<string, Set<MemoryEntry>>();
  readonly #watchers = createWatchers();
  readonly #cancelWatchers = createWatchers();
  readonly watch: Watchers["watch"] = this.#watchers.watch;
  readonly watchCancellations: Watchers["watch"] = this.#cancelWatchers.watch;

  constructor(options: MemoryOperationStoreOptions) {
    this.#clock = options.clock;
    this.#maxOperations = options.maxOperations;
    this.#pauses = options.pauses;
    this.#table = createClaimTable(this.#work, {
      clock: options.clock,
      pauses: options.pauses,
      places: this.#places,
      find: (id) => this.#entries.get(id),
      apply: (entry, step) => this.#apply(entry, step),
    });
  }

  async create(operation: NewOperation, initial?: InitialState): Promise<CreateOutcome> {
    return this.createNow(operation, initial);
  }

  /** Does the same as `create`, within the caller's turn of the event loop. */
  createNow(operation: NewOperation, initial?: InitialState): CreateOutcome {
    const known = this.#entries.get(operation.id);
    if (known !== undefined) return isRepeatedCreation(known, initial) ? "created" : "exists";
    this.checkRoom(1);
    this.#add(operation, initial);
    return "created";
  }

  /** Throws `OVERLOADED` if there is no room for this many new operations. */
  checkRoom(count: number): void {
    if (this.#entries.size + count > this.#maxOperations) throw storeFull(this.#maxOperations);
  }

  #add(operation: NewOperation, initial?: InitialState): void {
    const entry = createMemoryEntry(operation, initial, this.#clock.now());
    this.#entries.set(operation.id, entry);
    if (entry.operation.settledAt === undefined)
      getOrAdd(this.#unfinished, operation.definition, () => new Chain<MemoryEntry>()).append(entry);
    this.#changed(entry);
    this.#work.follow(entry);
    this.#places.changed(entry);
  }

  async get(id: string, tenant: string): Promise<Operation | undefined> {
    return this.getNow(id, tenant);
  }

  /** Does the same as `get`, within the caller's turn of the event loop. */
  getNow(id: string, tenant: string): Operation | undefined {
    return this.#visible(id, tenant)?.operation;
  }

  /** Returns the entry of an operation of any tenant. */
  find(id: string): MemoryEntry | undefined {
    return this.#entries.get(id);
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    return claim({ table: this.#table, turns: this.#turns, mayEnd: true }, request);
  }

  async renew(lease: Lease, change: Renewal): Promise<RenewResult> {
    const entry = this.#entries.get(lease.operationId);
    if (entry === undefined) return { outcome: "lost" };
    return this.#apply(entry, () => renew(entry, this.#clock.now(), lease.token, change));
  }

  async settle(lease: Lease, settlement: Settlement): Promise<SettleResult> {
    const entry = this.#entries.get(lease.operationId);
    if (entry === undefined) return { outcome: "lost" };
    return this.#apply(entry, () => settle(entry, this.#clock.now(), lease.token, settlement));
  }

  async requestCancel(id: string, tenant: string): Promise<CancelOutcome> {
    const entry = this.#visible(id, tenant);
    if (entry === undefined) return "unknown";
    const outcome = this.#apply(entry, () => cancel(entry, this.#clock.now()));
    if (outcome === "requested") this.#cancelWatchers.changed(id);
    return outcome;
  }

  async endOverdue({ limit }: { readonly limit: number }): Promise<OverdueOperation[]> {
    const now = this.#clock.now();
    const overdue = this.#deadlines.take(now, limit);
    return overdue.flatMap((entry) => this.#apply(entry, () => endIfOverdue(entry, now)) ?? []);
  }

  async takeExpired({ limit }: { readonly limit: number }): Promise<ExpiredOperation[]> {
    const now = this.#clock.now();
    const expired = this.#takeExpired(now, limit);
    for (const entry of expired) this.#retention.handedOut(entry, now);
    return expired.map(({ operation }) => operation);
  }

  /** Deletes and returns the operations that `takeExpired` would return, within the caller's turn of the event loop. */
  purgeNow({ limit }: { readonly limit: number }): Operation[] {
    const expired = this.#takeExpired(this.#clock.now(), limit);
    for (const entry of expired) this.#delete(entry);
    return expired.map(({ operation }) => operation);
  }

  #takeExpired(now: number, limit: number): MemoryEntry[] {
    for (const entry of this.#retention.takeLeaving(now)) if (!this.#isHeld(entry)) this.#delete(entry);
    return this.#retention.takeExpired(now, limit).filter((entry) => !this.#isHeld(entry));
  }

  #delete(entry: MemoryEntry): void {
    const { id, definition, retryOf } = entry.operation;
    this.#entries.delete(id);
    this.#failed.get(definition)?.delete(entry);
    const predecessor = retryOf === undefined ? undefined : this.#entries.get(retryOf);
    if (predecessor?.operation.retriedBy !== id) return;
    const { settledAt = 0 } = predecessor.operation;
    this.#retention.letGo(predecessor, this.#clock.now(), settledAt + keptMs(predecessor.operation));
  }

  async remove(ids: readonly string[], options: { readonly afterMs: number }): Promise<void> {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry === undefined || !isTerminal(entry.operation.state) || this.#isHeld(entry)) continue;
      this.#retention.leave(entry, this.#clock.now(), options.afterMs);
    }
  }

  async getMany(ids: readonly string[]): Promise<Operation[]> {
    return [...new Set(ids)].flatMap((id) => this.#entries.get(id)?.operation ?? []);
  }

  async list(request: ListRequest): Promise<ListedOperation[]> {
    const all = { entries: this.#entries, unfinished: this.#unfinished, failed: this.#failed };
    return pageOf(candidates(all, request), request);
  }

  async stats({ definitions }: { readonly definitions: readonly string[] }): Promise<DefinitionStats[]> {
    const now = this.#clock.now();
    return definitions.map((definition) => {
      const paused = this.#pauses.of(definition);
      const unfinished = this.#unfinished.get(definition) ?? [];
      const stats = statsOf(definition, unfinished, this.#failed.get(definition) ?? [], now);
      return paused === undefined ? stats : { ...stats, paused };
    });
  }

  async pause(definition: string, by?: string): Promise<void> {
    this.#pauses.pause(definition, by);
  }

  async resume(definition: string): Promise<void> {
    this.#pauses.resume(definition);
  }

  async countPending(requests: readonly PendingRequest[]): Promise<number[]> {
    return requests.map((request) => countOf(this.#unfinished.get(request.definition) ?? [], request));
  }

  async redrive(
    id: string,
    successor: { readonly id: string; readonly onEndId: string },
  ): Promise<RedriveResult> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return { outcome: "unknown" };
    const known = knownRedrive(entry);
    if (known !== undefined) return known;
    const outcome = this.createNow(successorOf(entry.operation, successor));
    this.#apply(entry, () => {
      entry.operation = { ...entry.operation, retriedBy: successor.id };
    });
    return { outcome: "redriven", operationId: successor.id, created: outcome === "created" };
  }

  /** Returns whether the entry is kept because its successor still exists. */
  #isHeld({ operation: { retriedBy } }: MemoryEntry): boolean {
    return retriedBy !== undefined && this.#entries.has(retriedBy);
  }

  #visible(id: string, tenant: string): MemoryEntry | undefined {
    const entry = this.#entries.get(id);
    return entry?.operation.tenant === tenant && entry.operation.hidden !== true ? entry : undefined;
  }

  /** Runs a step of the entry's state machine and updates the indexes that depend on the entry. */
  #apply<Result>(entry: MemoryEntry, step: () => Result): Result {
    const { operation, token } = entry;
    const result = step();
    if (entry.operation !== operation || entry.token !== token) {
      this.#places.changed(entry);
      this.#changed(entry, operation);
    }
    this.#work.follow(entry);
    return result;
  }

  #changed(entry: MemoryEntry, before?: Operation): void {
    const { operation } = entry;
    if (operation.settledAt !== undefined && before?.settledAt === undefined)
      this.#ended(entry, operation.settledAt);
    this.#deadlines.set(entry, overdueFrom(entry));
    if (operation !== before) this.#watchers.changed(operation.id);
  }

  #ended(entry: MemoryEntry, settledAt: number): void {
    const { tenant, definition, state, onEnd } = entry.operation;
    this.#retention.ended(entry, settledAt, keptMs(entry.operation));
    if (state === "failed") getOrAdd(this.#failed, definition, () => new Set<MemoryEntry>()).add(entry);
    if (onEnd !== undefined && !this.#entries.has(onEnd.id)) this.#add({ ...onEnd, tenant, hidden: true });
  }
}

import { AsyncReplyError } from "../../core/errors.js";
import {
  isTerminal,
  type JsonText,
  type NewOperation,
  type Operation,
  type Settlement,
} from "../../core/operation.js";
import type {
  BeginResult,
  CancelOutcome,
  CreateOutcome,
  DueOperation,
  ExpiredOperation,
  InitialState,
  Lease,
  ListRequest,
  OperationStore,
  RenewResult,
  SettleResult,
} from "../../ports/operation-store.js";
import type { Clock } from "../../ports/runtime.js";
import {
  begin,
  cancel,
  createEntry,
  type Entry,
  handOut,
  isRepeatedCreation,
  renew,
  settle,
} from "./entry.js";
import { Retention } from "./retention.js";
import { Schedule } from "./schedule.js";

export interface MemoryOperationStoreOptions {
  readonly clock: Clock;
  /** One more is refused with `OVERLOADED`: nothing that lives is ever dropped to make room. */
  readonly maxOperations: number;
}

/** Keeps operations in this process. Every method acts within one turn of the event loop: that is its atomicity. */
export class MemoryOperationStore implements OperationStore {
  readonly #clock: Clock;
  readonly #maxOperations: number;
  readonly #entries = new Map<string, Entry>();
  /** By definition, so that what no worker asks for is not looked at by those who ask for others. */
  readonly #schedules = new Map<string, Schedule<Entry>>();
  readonly #retention = new Retention();
  readonly #watchers = new Set<(operationId: string) => void>();

  constructor(options: MemoryOperationStoreOptions) {
    this.#clock = options.clock;
    this.#maxOperations = options.maxOperations;
  }

  async create(operation: NewOperation, initial?: InitialState): Promise<CreateOutcome> {
    return this.createNow(operation, initial);
  }

  /** `create` within the turn of a caller that does more in the same turn. */
  createNow(operation: NewOperation, initial?: InitialState): CreateOutcome {
    const known = this.#entries.get(operation.id);
    if (known !== undefined) return isRepeatedCreation(known, initial) ? "created" : "exists";
    if (this.#entries.size >= this.#maxOperations) throw full();
    const entry = createEntry(operation, initial, this.#clock.now());
    this.#entries.set(operation.id, entry);
    this.#changed(entry);
    return "created";
  }

  async get(id: string, scope: string): Promise<Operation | undefined> {
    return this.getNow(id, scope);
  }

  /** `get` within the turn of the caller. */
  getNow(id: string, scope: string): Operation | undefined {
    return this.#visible(id, scope)?.operation;
  }

  async beginAttempt(
    id: string,
    lease: { readonly token: string; readonly leaseMs: number },
  ): Promise<BeginResult> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return { outcome: "unknown" };
    return this.#apply(entry, () => begin(entry, this.#clock.now(), lease));
  }

  async renew(
    lease: Lease,
    change: { readonly leaseMs: number; readonly progress?: JsonText },
  ): Promise<RenewResult> {
    const entry = this.#entries.get(lease.operationId);
    if (entry === undefined) return { outcome: "lost" };
    return this.#apply(entry, () => renew(entry, this.#clock.now(), lease.token, change));
  }

  async settle(
    lease: Lease,
    settlement: Settlement,
    then: readonly NewOperation[] = [],
  ): Promise<SettleResult> {
    const entry = this.#entries.get(lease.operationId);
    if (entry === undefined) return { outcome: "lost" };
    if (entry.token === lease.token) this.#makeSureOfRoom(then);
    const settled = this.#apply(entry, () => settle(entry, this.#clock.now(), lease.token, settlement));
    const ended = settled.outcome === "settled" && isTerminal(settled.state);
    if (ended) for (const operation of then) this.createNow(operation);
    return settled;
  }

  /** Follow-ups are created with the settlement or not at all, and then nothing is settled either. */
  #makeSureOfRoom(then: readonly NewOperation[]): void {
    const missing = then.filter(({ id }) => !this.#entries.has(id)).length;
    if (this.#entries.size + missing > this.#maxOperations) throw full();
  }

  async requestCancel(id: string, scope: string): Promise<CancelOutcome> {
    const entry = this.#visible(id, scope);
    if (entry === undefined) return "unknown";
    return this.#apply(entry, () => cancel(entry, this.#clock.now()));
  }

  async takeDue(request: {
    readonly definitions: readonly string[];
    readonly limit: number;
  }): Promise<DueOperation[]> {
    const now = this.#clock.now();
    const taken: Entry[] = [];
    for (const definition of request.definitions) {
      const schedule = this.#scheduleOf(definition);
      const due = schedule.take(now, request.limit - taken.length);
      for (const entry of due) {
        handOut(entry, now);
        schedule.add(entry);
      }
      taken.push(...due);
    }
    return taken.map(({ operation: { id, definition } }) => ({ id, definition }));
  }

  async takeExpired(request: {
    readonly retentionMs: number;
    readonly limit: number;
  }): Promise<ExpiredOperation[]> {
    return this.takeExpiredNow(request);
  }

  /** `takeExpired` within the turn of the caller. */
  takeExpiredNow(request: { readonly retentionMs: number; readonly limit: number }): Operation[] {
    const now = this.#clock.now();
    for (const id of this.#retention.takeLeaving(now)) this.#entries.delete(id);
    return this.#retention
      .takeExpired(now, request, (id) => this.#entries.get(id)?.leaving === false)
      .map((id) => (this.#entries.get(id) as Entry).operation);
  }

  async remove(ids: readonly string[], options: { readonly afterMs: number }): Promise<void> {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry === undefined || !isTerminal(entry.operation.state)) continue;
      entry.leaving = true;
      this.#retention.leave(id, this.#clock.now(), options.afterMs);
    }
  }

  /** Forgets an operation within the turn of the caller, whatever its state. */
  forgetNow(id: string): void {
    this.#entries.delete(id);
  }

  watch(onChange: (operationId: string) => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  async list(request: ListRequest): Promise<Operation[]> {
    const { scope, definition, state, after = "", limit } = request;
    return [...this.#entries.values()]
      .map(({ operation }) => operation)
      .filter((operation) => operation.id > after)
      .filter((operation) => scope === undefined || operation.scope === scope)
      .filter((operation) => definition === undefined || operation.definition === definition)
      .filter((operation) => state === undefined || operation.state === state)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }

  #scheduleOf(definition: string): Schedule<Entry> {
    const known = this.#schedules.get(definition);
    if (known !== undefined) return known;
    const schedule = new Schedule<Entry>();
    this.#schedules.set(definition, schedule);
    return schedule;
  }

  #visible(id: string, scope: string): Entry | undefined {
    const entry = this.#entries.get(id);
    return entry?.operation.scope === scope && entry.operation.hidden !== true ? entry : undefined;
  }

  /** Runs a step of the entry's state machine and takes over what it changed. */
  #apply<Result>(entry: Entry, step: () => Result): Result {
    const { operation, announceAt } = entry;
    const result = step();
    if (entry.operation !== operation || entry.announceAt !== announceAt)
      this.#changed(entry, operation, announceAt);
    return result;
  }

  #changed(entry: Entry, before?: Operation, announcedBefore?: number): void {
    const { operation } = entry;
    if (entry.announceAt !== announcedBefore) this.#scheduleOf(operation.definition).add(entry);
    if (operation.settledAt !== undefined && before?.settledAt === undefined) {
      this.#retention.ended(operation.id, operation.settledAt);
    }
    if (operation !== before) for (const onChange of this.#watchers) onChange(operation.id);
  }
}

function full(): AsyncReplyError {
  return new AsyncReplyError("OVERLOADED", "The store is full.");
}

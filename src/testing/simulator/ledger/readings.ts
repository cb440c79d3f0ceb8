import { isTerminal, type Operation } from "../../../contract/operation.js";
import type { Claim, ClaimResult } from "../../../ports/idempotency-store.js";
import { type Content, cancelling } from "./contents.js";
import { type Entries, type Entry, endsByBeginning, isHidden, stateOf } from "./entry.js";
import type { Redrives } from "./redrives.js";

/**
 * Compares everything that stores return with what was recorded, reported and settled (I8), and with whose it is (I9).
 * What was promised must be there until its lifetime is over (I2).
 */
export class Readings {
  readonly #entries: Entries;
  readonly #redrives: Redrives;
  /** The tenants of operations, by the claims of their keys. */
  readonly #claimants = new Map<string, string>();
  readonly #rolledBack = new Set<string>();

  constructor(entries: Entries, redrives: Redrives) {
    this.#entries = entries;
    this.#redrives = redrives;
  }

  /** A store was asked for an operation of a tenant. */
  read(id: string, tenant: string, operation: Operation | undefined): void {
    const entry = this.#entries.get(id);
    const isShown = entry?.tenant === tenant && !isHidden(entry);
    if (operation !== undefined && entry !== undefined && isHidden(entry))
      this.#entries.violated("I9", `${tenant} is shown ${id}, which is hidden`);
    if (operation !== undefined) this.seen(operation, tenant);
    else if (isShown) this.#missed(entry);
  }

  /** A store was asked for these operations on behalf of no tenant. */
  found(ids: readonly string[], operations: readonly Operation[]): void {
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) this.#looked(entry, byId.get(id));
    }
  }

  #looked(entry: Entry, operation: Operation | undefined): void {
    if (operation !== undefined) this.seen(operation);
    else this.#missed(entry);
  }

  #missed(entry: Entry): void {
    if (!this.#entries.isOver(entry)) this.#entries.violated("I2", `${entry.id} is gone before its time`);
  }

  /** A store returned an operation, by default to somebody who may see every tenant. */
  seen(operation: Operation, tenant: string = operation.tenant): void {
    const { id, createdAt } = operation;
    const entry = this.#entries.get(id);
    if (entry === undefined && this.#rolledBack.has(id))
      this.#entries.violated("I10", `${id} is there, and its transaction has rolled back`);
    if (entry === undefined) return;
    if (entry.tenant !== tenant) this.#entries.violated("I9", `${tenant} is shown ${id} of ${entry.tenant}`);
    // Beginning ends it, and a receipt that begins says nothing about it.
    if (endsByBeginning(entry, this.#entries.now())) entry.contents.mayChange(cancelling);
    const before = entry.contents.current;
    if (!entry.contents.read(operation)) this.#differs(entry, before, operation);
    // A creation whose answer was lost has landed after all, so its attempts are over.
    if (before.state === "preparing" && stateOf(entry) === "pending") entry.attempt = 0;
    this.#entries.noteEnd(entry);
    this.#redrives.seen(entry, operation);
    entry.createdAt ??= createdAt;
    if (entry.createdAt !== createdAt)
      this.#entries.violated("I8", `${id} was created at ${entry.createdAt} and at ${createdAt}`);
    this.#noteAttempts(entry, operation);
    for (const member of ["definition", "input", "meta", "retentionMs", "retryOf"] as const)
      if (entry.recorded[member] !== operation[member])
        this.#entries.violated("I8", `${id} is shown with the ${member} ${operation[member]}`);
  }

  /** A key was claimed, or found to be bound. */
  claimed({ tenant, operationId }: Claim, result: ClaimResult): void {
    const id = result.outcome === "claimed" ? operationId : result.operationId;
    const owner = this.#entries.get(id)?.tenant ?? this.#claimants.get(id) ?? tenant;
    if (owner !== tenant) this.#entries.violated("I9", `${tenant} is given the key of ${id} of ${owner}`);
    this.#claimants.set(id, owner);
  }

  /** A transaction that would have recorded this operation was rolled back. Its id may still be recorded in another one. */
  rolledBack(id: string): void {
    this.#rolledBack.add(id);
  }

  /** Operations that may have ended without a word: see {@link seen}. */
  endedByBeginning(): readonly Entry[] {
    return this.#entries.where((entry) => endsByBeginning(entry, this.#entries.now()));
  }

  #noteAttempts(entry: Entry, { id, attempt, settledAt }: Operation): void {
    entry.attemptsRead.add(attempt);
    if (settledAt === undefined) return;
    entry.settledAt ??= settledAt;
    if (entry.settledAt !== settledAt)
      this.#entries.violated("I8", `${id} ended at ${entry.settledAt} and at ${settledAt}`);
  }

  #differs(entry: Entry, before: Content, shown: Content): void {
    const { id } = entry;
    if (isTerminal(before.state) && shown.state !== before.state)
      this.#entries.violated("I4", `${id} went from ${before.state} to ${shown.state}`);
    else this.#entries.violated("I8", `${id} is shown as ${textOf(shown)} and not as ${textOf(before)}`);
  }
}

/** Returns operations that are not known to have ended. What is hidden counts as ended if it may be: not every store shows it. */
export function unfinished(entries: Entries): readonly Entry[] {
  return entries.where(
    (entry) =>
      !isTerminal(stateOf(entry)) &&
      !(isHidden(entry) && entry.contents.mayBe(({ state }) => isTerminal(state))),
  );
}

function textOf({ state, progress, result, error, resource, lastError }: Content): string {
  return JSON.stringify({ state, progress, result, error, resource, lastError });
}

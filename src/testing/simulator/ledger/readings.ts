import { isTerminal, type Operation } from "../../../contract/operation.js";
import type { BindResult, KeyBinding } from "../../../ports/idempotency-store.js";
import type { Content } from "./contents.js";
import { type Entries, type Entry, isHidden, silentEnd, stateOf } from "./entry.js";
import type { Redrives } from "./redrives.js";

/**
 * Compares everything that stores return with what was recorded, reported and settled (I8), and checks that it belongs
 * to the right tenant (I9). Promised operations must exist until they expire (I2).
 */
export class Readings {
  readonly #entries: Entries;
  readonly #redrives: Redrives;
  /** Tenants of bound keys, by operation id. */
  readonly #boundBy = new Map<string, string>();
  readonly #rolledBack = new Set<string>();

  constructor(entries: Entries, redrives: Redrives) {
    this.#entries = entries;
    this.#redrives = redrives;
  }

  /** Checks what a store returned for an operation of a tenant. */
  read(id: string, tenant: string, operation: Operation | undefined): void {
    const entry = this.#entries.get(id);
    const isShown = entry?.tenant === tenant && !isHidden(entry);
    if (operation !== undefined && entry !== undefined && isHidden(entry))
      this.#entries.violated("I9", `${tenant} read ${id}, which is hidden`);
    if (operation !== undefined) this.returned(operation, tenant);
    else if (isShown) this.#checkMissing(entry);
  }

  /** Checks what a store returned for these ids, without a tenant. */
  readMany(ids: readonly string[], operations: readonly Operation[]): void {
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) this.#checkFound(entry, byId.get(id));
    }
  }

  #checkFound(entry: Entry, operation: Operation | undefined): void {
    if (operation !== undefined) this.returned(operation);
    else this.#checkMissing(entry);
  }

  #checkMissing(entry: Entry): void {
    if (!this.#entries.mayBeGone(entry))
      this.#entries.violated("I2", `${entry.id} was not found before it expired`);
  }

  /** Checks an operation that a store returned. Without `tenant`, the caller may read every tenant. */
  returned(operation: Operation, tenant: string = operation.tenant): void {
    const { id, createdAt } = operation;
    const entry = this.#entries.get(id);
    if (entry === undefined && this.#rolledBack.has(id))
      this.#entries.violated("I10", `${id} exists, but its transaction was rolled back`);
    if (entry === undefined) return;
    if (entry.tenant !== tenant) this.#entries.violated("I9", `${tenant} read ${id} of ${entry.tenant}`);
    entry.mayBeAbsent = false;
    // A claim can end the operation, and does not report that.
    const silent = silentEnd(entry, this.#entries.now());
    if (silent !== undefined) entry.contents.mayChange(silent);
    const before = entry.contents.current;
    if (!entry.contents.read(operation)) this.#reportDifference(entry, before, operation);
    // The creation succeeded although its answer was lost, so the attempts of the work start at 0.
    if (before.state === "preparing" && stateOf(entry) === "pending") entry.attempt = 0;
    this.#entries.noteEnd(entry);
    this.#redrives.read(entry, operation);
    entry.createdAt ??= createdAt;
    if (entry.createdAt !== createdAt)
      this.#entries.violated("I8", `${id} was created at ${entry.createdAt} and at ${createdAt}`);
    this.#noteAttempts(entry, operation);
    for (const member of [
      "definition",
      "principal",
      "input",
      "meta",
      "retentionMs",
      "failedRetentionMs",
      "startWithinMs",
      "retryOf",
      "urgency",
    ] as const)
      if (entry.recorded[member] !== operation[member])
        this.#entries.violated("I8", `${id} was read with ${member} ${operation[member]}`);
  }

  /** Checks the result of a binding. */
  bound({ tenant, operationId }: KeyBinding, result: BindResult): void {
    const id = result.outcome === "bound" ? operationId : result.operationId;
    const owner = this.#entries.get(id)?.tenant ?? this.#boundBy.get(id) ?? tenant;
    if (owner !== tenant)
      this.#entries.violated("I9", `${tenant} was given the key of ${id}, which belongs to ${owner}`);
    this.#boundBy.set(id, owner);
  }

  /**
   * Records that the transaction that recorded an operation was rolled back. Another one may still record the same id.
   */
  rolledBack(id: string): void {
    this.#rolledBack.add(id);
  }

  /** Returns operations that a claim may have ended without reporting it: see {@link returned}. */
  endedWhenBegun(): readonly Entry[] {
    return this.#entries.where((entry) => silentEnd(entry, this.#entries.now()) !== undefined);
  }

  #noteAttempts(entry: Entry, { id, attempt, settledAt }: Operation): void {
    entry.attemptsRead.add(attempt);
    if (settledAt === undefined) return;
    entry.settledAt ??= settledAt;
    if (entry.settledAt !== settledAt)
      this.#entries.violated("I8", `${id} ended at ${entry.settledAt} and at ${settledAt}`);
  }

  #reportDifference(entry: Entry, before: Content, shown: Content): void {
    const { id } = entry;
    if (isTerminal(before.state) && shown.state !== before.state)
      this.#entries.violated("I4", `${id} changed from ${before.state} to ${shown.state}`);
    else this.#entries.violated("I8", `${id} was read as ${textOf(shown)}, expected ${textOf(before)}`);
  }
}

/**
 * Returns operations that have not ended. One that may have ended counts as ended if it is hidden, because not every
 * store can show it, or if it may have been deleted since.
 */
export function unfinished(entries: Entries): readonly Entry[] {
  return entries.where(
    (entry) =>
      !isTerminal(stateOf(entry)) &&
      !entries.mayBeGone(entry) &&
      !(isHidden(entry) && entry.endedAt !== undefined),
  );
}

function textOf(content: Content): string {
  const { state, progress, cancelRequested, result, error, resource, lastError } = content;
  return JSON.stringify({ state, progress, cancelRequested, result, error, resource, lastError });
}

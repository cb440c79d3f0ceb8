import type { Operation } from "../../contract/operation.js";
import { type Entry, hasLiveLease } from "../../engine/entry.js";
import type {
  DefinitionStats,
  ListedOperation,
  ListPosition,
  ListRequest,
  PendingRequest,
} from "../../ports/operation-reads.js";
import { toBoundedCount } from "../shared/row.js";

/** Entries by id, and those that are unfinished or failed by definition. */
export interface Indexes<Item extends Pick<Entry, "operation">> {
  readonly entries: ReadonlyMap<string, Item>;
  readonly unfinished: ReadonlyMap<string, Iterable<Item>>;
  readonly failed: ReadonlyMap<string, Iterable<Item>>;
}

/** Returns all operations that can match a request. Most operations are completed, so most lists leave them out. */
export function* candidates<Item extends Pick<Entry, "operation">>(
  { entries, unfinished, failed }: Indexes<Item>,
  { state, definition }: ListRequest,
): Iterable<Operation> {
  const of = (items: ReadonlyMap<string, Iterable<Item>>): readonly Iterable<Item>[] =>
    definition === undefined ? [...items.values()] : [items.get(definition) ?? []];
  const isFinal = state === undefined || state === "completed";
  const parts = isFinal ? [entries.values()] : of(state === "failed" ? failed : unfinished);
  for (const part of parts) for (const { operation } of part) yield operation;
}

/** Number of operations to collect beyond twice the page before the oldest are dropped. */
const SPARE = 1_000;

/** Returns a page of these operations, newest first. */
export function pageOf(operations: Iterable<Operation>, request: ListRequest): ListedOperation[] {
  const { limit } = request;
  let found: Operation[] = [];
  const cut = (): Operation[] => found.sort(newestFirst).slice(0, limit);
  for (const operation of operations) {
    if (!isAskedFor(operation, request)) continue;
    found.push(operation);
    // Sorting everything at the end would take longer and more memory.
    if (found.length > SPARE + 2 * limit) found = cut();
  }
  return cut().map(toListed);
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

/** Counts the entries of a definition: due, running, scheduled, or failed and not run again. */
export function statsOf(
  definition: string,
  unfinished: Iterable<Entry>,
  failed: Iterable<Entry>,
  now: number,
): DefinitionStats {
  let [due, running, scheduled, open] = [0, 0, 0, 0];
  let oldestDueAt = Number.POSITIVE_INFINITY;
  for (const entry of unfinished) {
    if (entry.operation.state !== "pending") continue;
    const dueAt = entry.token === undefined ? entry.dueAt : entry.leaseEndsAt;
    if (dueAt <= now) {
      due += 1;
      oldestDueAt = Math.min(oldestDueAt, dueAt);
    } else if (hasLiveLease(entry, now)) running += 1;
    else scheduled += 1;
  }
  for (const { operation } of failed) if (operation.retriedBy === undefined) open += 1;
  return {
    definition,
    due: toBoundedCount(due),
    running: toBoundedCount(running),
    scheduled: toBoundedCount(scheduled),
    failed: toBoundedCount(open),
    ...(due === 0 ? {} : { oldestDueMs: now - oldestDueAt }),
  };
}

/** Counts unfinished operations, up to `most`. */
export function countOf(unfinished: Iterable<Entry>, { tenant, most }: PendingRequest): number {
  let count = 0;
  for (const { operation } of unfinished) {
    if (count === most) break;
    if (tenant === undefined || operation.tenant === tenant) count += 1;
  }
  return count;
}

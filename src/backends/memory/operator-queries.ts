import type { Operation } from "../../contract/operation.js";
import type {
  DefinitionStats,
  ListedOperation,
  ListPosition,
  ListRequest,
} from "../../ports/operation-store.js";
import { type Entry, hasLiveLease } from "../shared/entry.js";
import { toBoundedCount } from "../shared/row.js";

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

import { problemType } from "../contract/problem.js";
import type { OperationDetails } from "../operator/views.js";
import type { TimelineEntry } from "./wire.js";

/** Number of errors that an operation keeps. If there are as many, earlier ones may have been dropped. */
const MAX_ERRORS = 10;

/** Returns what is known to have happened to an operation, oldest first. */
export function timelineOf(operation: OperationDetails): readonly TimelineEntry[] {
  const { createdAt, retryOf, retriedBy, attemptErrors } = operation;
  const entries: TimelineEntry[] = [
    { event: "accepted", at: createdAt, ...(retryOf === undefined ? {} : { other: retryOf }) },
  ];
  let next = 1;
  for (const { attempt, at, detail } of attemptErrors.toReversed()) {
    const isFirst = entries.length === 1;
    if (isFirst && attempt > next && attemptErrors.length === MAX_ERRORS)
      entries.push({ event: "omitted", attempt: attempt - 1 });
    else entries.push(...lost(next, attempt));
    entries.push({ event: "attempt-failed", attempt, at, detail });
    next = Math.max(next, attempt + 1);
  }
  entries.push(...endOf(operation, next));
  if (retriedBy !== undefined) entries.push({ event: "redriven", other: retriedBy });
  return entries;
}

/** Returns the end, and the attempts before it that reported no error. `next` is the first of them. */
function endOf(operation: OperationDetails, next: number): readonly TimelineEntry[] {
  const { status, attempt, finishedAt, error } = operation;
  const at = finishedAt === undefined ? {} : { at: finishedAt };
  if (status === "completed") return [...lost(next, attempt), { event: "completed", attempt, ...at }];
  if (status !== "failed") {
    const isOpen = attempt >= next;
    return [...lost(next, attempt), ...(isOpen ? [{ event: "attempt-open", attempt } as const] : [])];
  }
  const detail = error?.detail ?? error?.title ?? "";
  // The worker that found that no attempt is left has begun one more, which it did not run.
  const isExhausted = error?.type === problemType("attempts-exhausted");
  return [...(isExhausted ? lost(next, attempt) : []), { event: "failed", detail, ...at }];
}

/** Returns the attempts from one number up to another, without it. They began and reported nothing. */
function lost(from: number, before: number): readonly TimelineEntry[] {
  const count = Math.max(0, before - from);
  return Array.from({ length: count }, (_, index) => ({ event: "lost", attempt: from + index }));
}

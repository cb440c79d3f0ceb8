import { problemType } from "../../contract/problem.js";
import { notFound } from "../../http/message/refusals.js";
import type { Operator } from "../../operator/operator.js";
import type { OperationDetails, OperationSummary } from "../../operator/views.js";
import type { Call, ConsoleContext } from "../context.js";
import type { Details, Payload, TimelineEntry } from "../wire.js";

/** Maximum number of deliveries that are shown: the first one and its redrives. */
const MAX_DELIVERIES = 10;

/** Reads an operation, what happened to it, and its deliveries. */
export async function readDetails({ operator }: ConsoleContext, { id }: Call): Promise<Details> {
  const found = await find(operator, id);
  return {
    operation: toSummary(found),
    timeline: timelineOf(found),
    deliveries: await readDeliveries(operator, found.followUpId),
  };
}

/** Reads the payloads of an operation. */
export async function readPayload({ operator }: ConsoleContext, { id }: Call): Promise<Payload> {
  const { input, result, progress, resource, meta } = await find(operator, id);
  return { input, result, progress, resource, meta };
}

async function readDeliveries(
  operator: Operator,
  firstId: string | undefined,
): Promise<Details["deliveries"]> {
  const deliveries: OperationDetails[] = [];
  for (let id = firstId; id !== undefined && deliveries.length < MAX_DELIVERIES; ) {
    const delivery = await operator.get(id);
    if (delivery !== undefined) deliveries.push(delivery);
    id = delivery?.retriedBy;
  }
  return deliveries.map((delivery) => ({
    operation: toSummary(delivery),
    timeline: timelineOf(delivery),
  }));
}

async function find(operator: Operator, id: string): Promise<OperationDetails> {
  const found = await operator.get(id);
  if (found === undefined) throw notFound();
  return found;
}

/** Leaves out the payloads. */
function toSummary({
  input: _input,
  result: _result,
  progress: _progress,
  resource: _resource,
  meta: _meta,
  attemptErrors: _errors,
  followUpId: _followUpId,
  ...summary
}: OperationDetails): OperationSummary {
  return summary;
}

/** Number of errors that an operation keeps. If there are as many, earlier ones may have been dropped. */
const MAX_ERRORS = 10;

/** Returns what is known to have happened to an operation, oldest first. */
function timelineOf(operation: OperationDetails): readonly TimelineEntry[] {
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
  const { state, attempt, finishedAt, error } = operation;
  const at = finishedAt === undefined ? {} : { at: finishedAt };
  if (state === "completed") return [...lost(next, attempt), { event: "completed", attempt, ...at }];
  if (state !== "failed") {
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

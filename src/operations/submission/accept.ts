import type { Accepted } from "./accepted.js";
import type { SubmissionContext } from "./context.js";
import { createBeforeReply } from "./creation/create-before-reply.js";
import type { CheckedSubmission } from "./earlier-operation.js";
import { changedNothing, type HeldPlace, inPlace } from "./in-place.js";
import { recordSubmission } from "./record-submission.js";

/** Features of the platform for a submission. */
interface Platform {
  readonly waitUntil?: (work: Promise<unknown>) => void;
}

/**
 * Accepts a submission: records it, and creates its resource if the service has a `create` function. Every step is
 * repeatable: a retry after a crash finds the same operation and completes the missing steps. Call
 * {@link reportAccepted} with what it resolves to.
 *
 * Throws `BACKLOG_FULL`, `TOO_MANY_PENDING`, and errors of recording and creating.
 */
export async function accept(context: SubmissionContext, checked: CheckedSubmission): Promise<Accepted> {
  const { id } = checked.submission.operation;
  try {
    const accepted = await admit(context, checked);
    if (accepted.replayed && accepted.operationId === id) context.minutes?.recorded([id]);
    return accepted;
  } catch (error) {
    if (!changedNothing(error)) context.minutes?.recorded([id]);
    throw error;
  }
}

function admit(context: SubmissionContext, checked: CheckedSubmission): Promise<Accepted> {
  const place = context.backlog?.admit(checked.submission.operation);
  return place === undefined ? record(context, checked) : recordInPlace(context, checked, place);
}

async function recordInPlace(
  context: SubmissionContext,
  checked: CheckedSubmission,
  place: HeldPlace | Promise<HeldPlace>,
): Promise<Accepted> {
  // Without a promise, nothing is awaited before the operation is recorded.
  const held = place instanceof Promise ? await place : place;
  return inPlace(held, () => record(context, checked));
}

function record(context: SubmissionContext, checked: CheckedSubmission): Promise<Accepted> {
  return Object.hasOwn(context.create, checked.definition.name)
    ? createBeforeReply({ context, ...checked })
    : recordSubmission(context, checked);
}

/**
 * Reports an accepted submission, and rings for it. Does not wait for the ring: the record serves as the outbox, and an
 * unresponsive broker must not delay the reply. Never throws.
 *
 * @param platform `waitUntil` keeps the process alive until the ring is published
 */
export function reportAccepted(
  context: SubmissionContext,
  { definition: { name: definition }, submission }: CheckedSubmission,
  { operationId, replayed, ring }: Accepted,
  platform: Platform = {},
): void {
  const { tenant, principal, meta, delayMs } = submission.operation;
  const event = replayed ? "operation.replayed" : "operation.accepted";
  // Written out, because V8 keeps what a spread makes of a literal until the next full collection.
  context.observe(
    principal === undefined
      ? { event, operationId, definition, tenant }
      : { event, operationId, definition, tenant, principal },
  );
  if (ring) stayFor(context, platform, context.bell.ring({ definition, operationId, meta }, delayMs));
}

/** If `waitUntil` throws, the operation is already recorded, and a worker will find it. */
function stayFor({ observe }: SubmissionContext, platform: Platform, work: Promise<void>): void {
  try {
    platform.waitUntil?.(work);
  } catch (error) {
    observe({ event: "background.failed", step: "ring", error });
  }
}

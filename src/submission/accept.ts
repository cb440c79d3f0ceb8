import type { Accepted } from "./accepted.js";
import type { SubmissionContext } from "./context.js";
import { createBeforeReply } from "./creation/create-before-reply.js";
import type { CheckedSubmission } from "./earlier-operation.js";
import { recordSubmission } from "./record-submission.js";

/** Features of the platform for a submission. */
interface Platform {
  readonly waitUntil?: (work: Promise<unknown>) => void;
}

/**
 * Accepts a submission: records it, creates its resource if the service has a `create` function, and announces it.
 * Every step is repeatable: a retry after a crash finds the same operation and completes the missing steps.
 *
 * Throws errors of recording and creating.
 *
 * @param platform `waitUntil` keeps the process alive until the announcement is published
 */
export async function accept(
  context: SubmissionContext,
  checked: CheckedSubmission,
  platform: Platform = {},
): Promise<Accepted> {
  const { definition, submission } = checked;
  const accepted = Object.hasOwn(context.create, definition.name)
    ? await createBeforeReply({ context, ...checked })
    : await recordSubmission(context, checked);
  const { operationId, replayed } = accepted;
  const { name } = definition;
  const { tenant, principal, meta } = submission.operation;
  const event = replayed ? "operation.replayed" : "operation.accepted";
  // Written out, because V8 keeps what a spread makes of a literal until the next full collection.
  context.observe(
    principal === undefined
      ? { event, operationId, definition: name, tenant }
      : { event, operationId, definition: name, tenant, principal },
  );
  if (accepted.announce) {
    // Not awaited: the record serves as the outbox, and an unresponsive broker must not delay the reply.
    stayFor(context, platform, context.announcer.announce({ id: operationId, definition: name, meta }));
  }
  return accepted;
}

/** If `waitUntil` throws, the operation is already recorded; the sweep will announce it. */
function stayFor({ observe }: SubmissionContext, platform: Platform, work: Promise<void>): void {
  try {
    platform.waitUntil?.(work);
  } catch (error) {
    observe({ event: "background.failed", step: "announce", error });
  }
}

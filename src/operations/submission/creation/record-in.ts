import { sharedTransactions } from "../../../ports/backend.js";
import type { AnyCreate } from "../../../ports/create.js";
import type { RecordResult } from "../../../ports/submission.js";
import { type Accepted, replayOf } from "../accepted.js";
import type { SubmissionContext } from "../context.js";
import type { CheckedSubmission } from "../earlier-operation.js";
import { earlierOperation } from "../earlier-operation.js";
import { creationInProgress, limitsOf } from "./creation.js";
import { runCreate } from "./run-create.js";

/**
 * Records a submission in the caller's transaction. If the service has a `create` function, creates the resource there
 * too. Emits no event, because the transaction may still roll back.
 *
 * Throws `NO_TRANSACTIONS`, `BACKLOG_FULL`, `TOO_MANY_PENDING`. Also throws errors of {@link acceptedIn} and of `create`.
 */
export async function recordIn(
  context: SubmissionContext,
  checked: CheckedSubmission,
  tx: unknown,
): Promise<Accepted> {
  const { definition, submission, output } = checked;
  const { id: operationId, tenant } = submission.operation;
  const { recordIn: recordInTransaction } = sharedTransactions(context.backend);
  const place = await context.backlog?.admit(submission.operation);
  let resource: string | undefined;
  const hook = Object.hasOwn(context.create, definition.name) ? context.create[definition.name] : undefined;
  const create =
    hook &&
    (async (): Promise<string> => {
      const call = { create: hook as AnyCreate, input: output, operationId, tenant };
      resource = await runCreate(call, new AbortController(), limitsOf(context), { tx });
      return resource;
    });
  try {
    const accepted = acceptedIn(context, checked, await recordInTransaction(tx, submission, create));
    if (accepted.replayed) place?.giveBack();
    else context.minutes?.recorded([operationId]);
    return accepted.replayed || resource === undefined ? accepted : { ...accepted, resource };
  } catch (error) {
    // After any error, the transaction holds no operation of this call.
    place?.giveBack();
    throw error;
  }
}

/**
 * Returns what was accepted in the caller's transaction.
 *
 * Throws `CREATION_IN_PROGRESS` if an earlier submission has not created its resource yet. Also throws errors of
 * {@link earlierOperation}.
 */
export function acceptedIn(
  context: Pick<SubmissionContext, "observe">,
  checked: CheckedSubmission,
  recorded: RecordResult,
): Accepted {
  if (recorded.outcome === "created")
    return { operationId: checked.submission.operation.id, replayed: false, ring: false };
  const earlier = earlierOperation(context, checked, recorded);
  // Clients cannot read it yet. To finish it here would need another connection, and would outlive a rollback.
  if (earlier.state === "preparing") throw creationInProgress();
  return replayOf(earlier);
}

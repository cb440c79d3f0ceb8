import { sharedTransactions } from "../../ports/backend.js";
import type { AnyCreate } from "../../ports/create.js";
import type { CheckedSubmission } from "../accept.js";
import { type Accepted, replayOf } from "../accepted.js";
import type { SubmissionContext } from "../context.js";
import { earlierOperation } from "../earlier-operation.js";
import { limitsOf } from "./creation.js";
import { runCreate } from "./run-create.js";

/**
 * Records a submission in the caller's transaction. If the service has a `create` function, creates the resource there
 * too. Emits no event, because the transaction may still roll back.
 *
 * @throws AsyncReplyError `NO_TRANSACTIONS`, errors of {@link earlierOperation}, and errors of `create`
 */
export async function recordIn(
  context: SubmissionContext,
  checked: CheckedSubmission,
  tx: unknown,
): Promise<Accepted> {
  const { definition, submission, output } = checked;
  const { id: operationId, tenant } = submission.operation;
  const { recordIn: recordInTransaction } = sharedTransactions(context.backend);
  let resource: string | undefined;
  const hook = Object.hasOwn(context.create, definition.name) ? context.create[definition.name] : undefined;
  const create =
    hook &&
    (async (): Promise<string> => {
      const call = { create: hook as AnyCreate, input: output, operationId, tenant };
      resource = await runCreate(call, new AbortController(), limitsOf(context), { tx });
      return resource;
    });
  const recorded = await recordInTransaction(tx, submission, create);
  if (recorded.outcome !== "created") return replayOf(earlierOperation(context, checked, recorded));
  const accepted = { operationId, replayed: false, announce: false };
  return resource === undefined ? accepted : { ...accepted, resource };
}

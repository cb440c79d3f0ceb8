import type { NewOperation } from "../../../contract/operation.js";
import type { Submissions } from "../../../ports/backend.js";
import type { KeyBinding } from "../../../ports/idempotency-store.js";
import type { Submission } from "../../../ports/submission.js";
import { isOutcome } from "../../expect.js";
import { begin, COMPLETED, newOperation } from "../operation-store/fixtures.js";
import type { OpenPort, PortCheck, PortHarness } from "../port-case.js";

/** Creates stores for `submissionsCases`. */
export interface SubmissionsHarness extends PortHarness<Submissions<unknown>> {
  /** Creates an empty back end that has no room for an operation. */
  createFull?(): Promise<
    OpenPort<Submissions<unknown>> & {
      /** Resolves when one more operation fits. */
      makeRoom(): Promise<void>;
    }
  >;
}

export type SubmissionsCheck = PortCheck<Submissions<unknown>, SubmissionsHarness>;

/** Builds a submission with the key `key-1`, with the given members replaced. */
export function newSubmission(
  members: Partial<NewOperation> = {},
  fingerprint = "1:abc",
): Submission & { readonly operation: NewOperation } {
  return { operation: newOperation({ key: "key-1", ...members }), fingerprint };
}

/** Records a submission that must be new. */
export async function recorded(
  submissions: Submissions<unknown>,
  members: Partial<NewOperation> = {},
): Promise<Submission> {
  const submission = newSubmission(members);
  isOutcome(await submissions.record(submission), "created", "recording under a free key");
  return submission;
}

/** Records a submission under a free key and completes its operation. */
export async function recordedAndEnded(
  submissions: Submissions<unknown>,
  key: string,
  retentionMs = 0,
): Promise<Submission> {
  const submission = await recorded(submissions, { key, retentionMs });
  const { lease } = await begin(submissions.operations, submission.operation.id);
  isOutcome(await submissions.operations.settle(lease, COMPLETED), "settled", "settling it");
  return submission;
}

/** Returns the binding that belongs to a submission. */
export function bindingOf({ operation, fingerprint }: Submission): KeyBinding {
  const { id: operationId, tenant, definition, key = "" } = operation;
  return { tenant, definition, key, fingerprint, operationId };
}

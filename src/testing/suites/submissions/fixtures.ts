import type { NewOperation } from "../../../contract/operation.js";
import type { Backend } from "../../../ports/backend.js";
import type { Submission } from "../../../ports/submission.js";
import { isOutcome } from "../../expect.js";
import { begin, COMPLETED, newOperation } from "../operation-store/fixtures.js";
import type { OpenPort, PortCheck, PortHarness } from "../port-case.js";

/** The parts of a back end that record keys and operations. */
export type Recording = Pick<Backend, "operations" | "submissions">;

/** Creates back ends for `submissionsCases`. */
export interface SubmissionsHarness extends PortHarness<Recording> {
  /** Creates an empty back end that has no room for an operation. */
  createFull?(): Promise<
    OpenPort<Recording> & {
      /** Resolves when one more operation fits. */
      makeRoom(): Promise<void>;
    }
  >;
}

export type SubmissionsCheck = PortCheck<Recording, SubmissionsHarness>;

/** Builds a submission with the key `key-1`, with the given members replaced. */
export function newSubmission(
  members: Partial<NewOperation> = {},
  fingerprint = "1:abc",
): Submission & { readonly operation: NewOperation } {
  return { operation: newOperation({ key: "key-1", ...members }), fingerprint };
}

/** Records a submission that must be new. */
export async function recorded(backend: Recording, members: Partial<NewOperation> = {}): Promise<Submission> {
  const submission = newSubmission(members);
  isOutcome(await backend.submissions.record(submission), "created", "recording under a free key");
  return submission;
}

/** Records a submission under a free key and completes its operation. */
export async function recordedAndEnded(
  backend: Recording,
  key: string,
  retentionMs = 0,
): Promise<Submission> {
  const submission = await recorded(backend, { key, retentionMs });
  const { lease } = await begin(backend.operations, submission.operation.id);
  isOutcome(await backend.operations.settle(lease, COMPLETED), "settled", "settling it");
  return submission;
}

/** Returns the id of the operation that the key of a submission is bound to. */
export async function boundTo(
  { submissions }: Recording,
  { operation: { tenant, definition, key = "" } }: Submission,
): Promise<string | undefined> {
  return (await submissions.findKey({ tenant, definition, key }))?.operationId;
}

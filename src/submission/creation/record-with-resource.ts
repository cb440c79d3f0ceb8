import type { JsonText } from "../../contract/operation.js";
import type { RecordResult, Submission, Transactions } from "../../ports/backend.js";
import { type CreateCall, type CreateLimits, permanentError, runCreate } from "./run-create.js";

export type RecordedWithResource =
  | { readonly outcome: "created"; readonly resource: JsonText | undefined }
  | Exclude<RecordResult, { readonly outcome: "created" }>
  /** Nothing is recorded. With an `error` it would come to the same another time. */
  | { readonly outcome: "not-created"; readonly error: JsonText | undefined };

/**
 * Records a submission and creates its resource in one transaction: the 201 of spec §4.1 without a moment in between.
 *
 * @throws AsyncReplyError what recording throws
 */
export async function recordWithResource(
  transactions: Transactions<unknown>,
  call: CreateCall,
  submission: Submission,
  limits: CreateLimits & { readonly onError: (error: unknown) => void },
): Promise<RecordedWithResource> {
  const stopping = new AbortController();
  let resource: JsonText | undefined;
  let failure: { readonly error: unknown } | undefined;
  const create = async (tx: unknown): Promise<JsonText> => {
    try {
      resource = await runCreate(call, stopping, limits, { tx });
      return resource;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    const result = await transactions.record(submission, create, stopping.signal);
    return result.outcome === "created" ? { ...result, resource } : result;
  } catch (error) {
    if (failure === undefined) throw error;
    limits.onError(failure.error);
    return { outcome: "not-created", error: permanentError(failure.error) };
  }
}

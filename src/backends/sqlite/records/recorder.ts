import { type Operation, withId } from "../../../contract/operation.js";
import type { RecordResult, Submission } from "../../../ports/submission.js";
import type { Changed } from "../connection/changed.js";
import type { Statements } from "../connection/statements.js";
import { findHolder, type HashedKey, type Holder } from "./keys.js";
import type { Records } from "./records.js";

/** Records submissions within a transaction. */
export interface Recorder {
  /** Binds the key and creates the operation, unless the key is bound. */
  record(submission: Submission, key: HashedKey | undefined, changed: Changed): RecordResult;
}

/** Creates the recorder of a connection. */
export function createRecorder(statements: Statements, records: Records): Recorder {
  function record(submission: Submission, key: HashedKey | undefined, changed: Changed): RecordResult {
    const { operation, fingerprint, initial } = submission;
    const holder = key && findHolder(statements, key);
    if (holder === undefined) {
      // If an earlier call has created it, this changes nothing.
      records.create(operation, initial, changed, key && { hash: key.hash, fingerprint });
      return { outcome: "created" };
    }
    if (records.has(operation.id)) return existing(operation.id, holder);
    // A caller that uses the stores separately may have stopped after the claim. This completes its submission.
    if (holder.isClaim && holder.fingerprint === fingerprint && !records.has(holder.operationId))
      records.create(withId(operation, holder.operationId), initial, changed);
    return (
      answer(holder.operationId, holder.fingerprint) ?? {
        outcome: "in-progress",
        fingerprint: holder.fingerprint,
      }
    );
  }

  /** Returns the outcome for an id that exists. Its key may belong to another operation. */
  function existing(id: string, { operationId, fingerprint }: Holder): RecordResult {
    if (operationId === id) return { outcome: "created" };
    return answer(operationId, fingerprint) ?? { outcome: "in-progress", fingerprint };
  }

  function answer(id: string, fingerprint: string): RecordResult | undefined {
    const operation: Operation | undefined = records.find(id)?.operation;
    return operation && { outcome: "exists", operation, fingerprint };
  }

  return { record };
}

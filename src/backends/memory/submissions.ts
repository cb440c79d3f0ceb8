import { purge } from "../../engine/purge.js";
import { record } from "../../engine/record.js";
import type { Submissions } from "../../ports/backend.js";
import type { RecordResult, Submission } from "../../ports/submission.js";
import { type NamedKey, nameKey } from "./idempotency-store.js";
import type { MemoryTable } from "./table.js";

/** Creates submissions that record and purge key and operation together, within one turn of the event loop. */
export function createMemorySubmissions(table: MemoryTable): Submissions<never> {
  const recordNow = (submission: Submission): RecordResult => record(table, submission, keyOf(submission));

  /** Returns whether recording the submission creates an operation. */
  function adds(submission: Submission): boolean {
    const key = keyOf(submission);
    return (key === undefined || table.holderOf(key) === undefined) && !table.has(submission.operation.id);
  }

  return {
    record: async (submission) => recordNow(submission),
    recordMany: async (submissions) => {
      // Nothing else can fail, so either all of them are recorded or none.
      table.checkRoom(submissions.filter(adds).length);
      return submissions.map(recordNow);
    },
    findKey: async (reference) => table.holderOf(nameKey(reference)),
    purge: async ({ limit }) => purge(table, limit),
  };
}

function keyOf({ operation: { tenant, definition, key } }: Submission): NamedKey | undefined {
  return key === undefined ? undefined : nameKey({ tenant, definition, key });
}

import { record } from "../../engine/record.js";
import type { Statements } from "../sqlite/connection/statements.js";
import { toStoreError } from "../sqlite/connection/store-error.js";
import type { RecordIn } from "../sqlite/records/record-in.js";
import type { SqliteTable } from "../sqlite/records/table.js";

/** Records a submission together with everything else that the object writes in this turn. */
export function recordInTurn({
  statements,
  table,
  onRecorded,
}: {
  readonly statements: Statements;
  readonly table: SqliteTable;
  /** Called after each new operation. The user's transaction can still be rolled back. */
  readonly onRecorded: (definition: string) => void;
}): RecordIn {
  return (_sql, submission, key) => {
    try {
      const result = statements.nested(() => record(table, submission, key));
      if (result.outcome === "created") onRecorded(submission.operation.definition);
      return result;
    } catch (error) {
      throw toStoreError(error, "no");
    }
  };
}

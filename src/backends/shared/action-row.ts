import { present } from "../../contract/options.js";
import type { ActionKind, RecordedAction } from "../../ports/actions-store.js";
import { integer, type Row, text } from "./row.js";

/** Returns the action of a row. A later release can know other kinds. Throws `CORRUPT_RECORD`. */
export function toAction(row: Row): RecordedAction {
  const optional = (column: string): string | undefined =>
    (row[column] ?? null) === null ? undefined : text(row, column);
  return {
    id: text(row, "id"),
    at: integer(row, "at_ms"),
    action: text(row, "action") as ActionKind,
    ...present({
      definition: optional("definition"),
      operationId: optional("operation_id"),
      by: optional("acted_by"),
      via: optional("acted_via"),
    }),
    facts: text(row, "facts"),
  };
}

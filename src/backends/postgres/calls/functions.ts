import { LISTED_COLUMNS, PAYLOAD_COLUMNS, TIME_COLUMNS } from "../../shared/row.js";
import { WORK_COLUMNS } from "../../shared/work-row.js";
import type { SqlStatement } from "../connection/sql-database.js";

/** Returns the columns of an operation without its payloads, read from a column that holds its whole row. */
function listedColumns(row: string): string {
  const plain = LISTED_COLUMNS.map((name) => `(${row}).${name} as ${name}`);
  const times = TIME_COLUMNS.map((name) => timeColumn(`(${row}).${name}`, name));
  return [...plain, ...times].join(", ");
}

/** Returns a column of epoch milliseconds. */
function timeColumn(time: string, name: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::bigint as ${name}`;
}

/** Returns the columns of an operation, read from a column that holds its whole row. */
function operationColumns(row: string): string {
  const payloads = PAYLOAD_COLUMNS.map((name) => `(${row}).${name} as ${name}`);
  return [listedColumns(row), ...payloads].join(", ");
}

/**
 * The columns to read from the result of each function. Empty for a function that returns a single value, as `answer`: without
 * FROM, the server does not have to store its rows first.
 */
const COLUMNS = {
  record_alone_v1: "",
  record_new_v1: "place, outcome, operation",
  record_v1: "place, outcome, operation",
  record_each_v1: "place, outcome, operation",
  database_v1: "f as mark",
  record_in_v1: "place, outcome, operation",
  hold_v1: "f as transaction_id",
  create_v1: "f as created",
  get_v1: `${operationColumns("f")}`,
  get_many_v1: `${operationColumns("f")}`,
  list_v1: `${listedColumns("f")}`,
  stats_v1:
    "definition, due, running, scheduled, failed, oldest_due_ms::bigint as oldest_due_ms, paused_since::bigint as paused_since, paused_by",
  pause_v1: "1 as done",
  resume_v1: "1 as done",
  count_pending_v1: "pending",
  live_since_v1: "definition, since_ms::bigint as since_ms, oldest, next, at_ms::bigint as at_ms",
  claim_v1: `place, outcome, ${operationColumns("operation")}, (operation).previous_lost as previous_lost`,
  renew_v1: "place, outcome, cancel_requested",
  settle_v1: "place, state",
  settle_in_v1: "place, state",
  cancel_v1: "f as outcome",
  end_overdue_v1: `id, definition, tenant, principal, ${timeColumn("created_at", "created_at")}`,
  purge_v1: "f as purged",
  set_resource_v1: "f as found",
  lock_key_v1: "f as locked",
  find_key_v1: "operation_id, fingerprint",
  output_begun_v2: `epoch, count, bytes, segments, checkpoint, checkpoint_number, checkpoint_attempt, checkpoint_count, checkpoint_bytes, ${timeColumn("checkpoint_at", "checkpoint_at")}`,
  append_output_v2: "place, outcome",
  append_in_v2: "place, outcome",
  redrive_v2: "outcome, operation_id, created, state",
  read_output_v2: `place, state, count, segments, epoch, first, chunks, ${timeColumn("checkpoint_at", "checkpoint_at")}`,
  clean_output_v2: "f as deleted",
  inspect_v3: `${operationColumns("operation")}, (operation).token as token, ${timeColumn("(operation).due_at", "due_at")}, is_due, running_of_tenant`,
  write_minutes_v3: "f as written",
  fold_minutes_v3: "f as folded",
  record_action_v3: "f as recorded",
  list_actions_v3: "id, at_ms, action, definition, operation_id, acted_by, acted_via, facts",
  purge_actions_v3: "f as purged",
  read_minutes_v3: `definition, start_ms, served, ${WORK_COLUMNS.join(", ")}`,
};

/** Name of a function of the schema. */
export type FunctionName = keyof typeof COLUMNS;

/** Returns a function that builds the statements to call the functions of a schema. `schema` must be quoted. */
export function createCalls(schema: string): (name: FunctionName, values: unknown[]) => SqlStatement {
  const known = new Map<string, { readonly name: string; readonly text: string }>();
  return (name, values) => {
    const key = `${name} ${values.length}`;
    let call = known.get(key);
    if (call === undefined) {
      const parameters = values.map((_, index) => `$${index + 1}`).join(", ");
      const called = `${schema}.${name}(${parameters})`;
      const columns: string = COLUMNS[name];
      const text = columns === "" ? `select ${called} as answer` : `select ${columns} from ${called} as f`;
      // The name depends on the text, because a connection can serve several schemas and releases.
      call = { name: `arr_${name}_${hash(text)}`, text };
      known.set(key, call);
    }
    return { ...call, values };
  };
}

/** Hashes a text with FNV-1a, which is short and returns the same value in every process. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}

const LISTED = [
  "id",
  "tenant",
  "definition",
  "key",
  "state",
  "hidden",
  "cancel_requested",
  "attempt",
  "retention_ms",
  "failed_retention_ms",
  "retry_of",
  "retried_by",
  "error",
  "last_error",
];
const PAYLOADS = ["input", "meta", "on_end", "resource", "progress", "result"];
const TIMES = ["created_at", "settled_at"];

/** Returns the columns of an operation without its payloads, read from a column that holds its whole row. */
export function listedColumns(row: string): string {
  const plain = LISTED.map((name) => `(${row}).${name} as ${name}`);
  // Epoch milliseconds.
  const times = TIMES.map((name) => `floor(extract(epoch from (${row}).${name}) * 1000)::bigint as ${name}`);
  return [...plain, ...times].join(", ");
}

/** Returns the columns of an operation, read from a column that holds its whole row. */
export function operationColumns(row: string): string {
  const payloads = PAYLOADS.map((name) => `(${row}).${name} as ${name}`);
  return [listedColumns(row), ...payloads].join(", ");
}

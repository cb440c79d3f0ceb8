const PLAIN = ["id", "scope", "definition", "key", "fingerprint", "state", "hidden", "attempt", "token"];
const TEXTS = ["previous_lost", "input", "resource", "progress", "result", "error"];

/** What is read of an operation: names, and where in its row they are. Times come as epoch milliseconds. */
function readable(row: string): readonly (readonly [name: string, expression: string])[] {
  const plain = [...PLAIN, ...TEXTS].map((name) => [name, `(${row}).${name}`] as const);
  const times = ["created_at", "settled_at"].map(
    (name) => [name, `floor(extract(epoch from (${row}).${name}) * 1000)::float8`] as const,
  );
  return [...plain, ...times];
}

/** The columns of an operation, out of a column that holds its whole row. */
export function operationColumns(row: string): string {
  return readable(row)
    .map(([name, expression]) => `${expression} as ${name}`)
    .join(", ");
}

/** An operation as one JSON object, with the members that {@link operationColumns} has as columns. */
export function operationJson(row: string): string {
  const members = readable(row).map(([name, expression]) => `'${name}', ${expression}`);
  return `json_build_object(${members.join(", ")})`;
}

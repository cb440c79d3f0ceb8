import type { OperationSummary } from "../../operator/summary.js";
import type { Sent } from "../wire.js";

/** Returns the command that submits the same input again, for a shell with the address and the credentials of the service. */
export function curlOf({ key }: Sent<OperationSummary>, path: string, input: unknown): string {
  const parts = [
    `curl -X POST "$SERVICE"${quoted(path)}`,
    `-H "Authorization: $AUTHORIZATION"`,
    "-H 'Content-Type: application/json'",
    // The key of the operation would only return it again.
    ...(key === undefined ? [] : [`-H "Idempotency-Key: \\"$(uuidgen)\\""`]),
    `--data-raw ${quoted(JSON.stringify(input))}`,
  ];
  return parts.join(" \\\n  ");
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

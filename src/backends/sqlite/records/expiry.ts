import type { Row } from "../../rows/row.js";
import type { Statements } from "../connection/statements.js";
import type { Records } from "./records.js";

/** Maximum number of removed operations that one call deletes. */
const MAX_FORGOTTEN = 100;

/** Deletes operations whose time from `remove` has come. */
export function deleteRemoved(statements: Statements, records: Records): void {
  const rows = statements.all(
    `select seq, id, retry_of from arr_operations indexed by arr_operations_forget
     where forget_at is not null and forget_at <= ? order by forget_at limit ?`,
    records.now(),
    MAX_FORGOTTEN,
  );
  for (const row of rows) records.delete(row);
}

/** Returns rows of operations whose retention has passed, the longest expired first. */
export function findExpired(statements: Statements, now: number, limit: number): readonly Row[] {
  return statements.all(
    `select seq, id, tenant, definition, key, key_hash, retry_of from arr_operations indexed by arr_operations_expires
     where expires_at is not null and expires_at <= ? order by expires_at limit ?`,
    now,
    limit,
  );
}

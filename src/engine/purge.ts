import type { KeyReference } from "../ports/idempotency-store.js";
import type { Entry, Stepped } from "./entry.js";
import type { Expired, Table } from "./table.js";

/** Deletes operations whose retention is over, with their keys, and returns how many. */
export function purge<Found extends Entry, Named, Held extends Entry<Stepped>, Key extends KeyReference>(
  table: Table<Found, Named, Held, Key>,
  limit: number,
): number {
  const expired = table.expired(limit);
  for (const each of expired) forget(table, each);
  return expired.length;
}

/** Deletes an operation. A predecessor that was kept for it expires at once, unless its own retention is not over. */
export function forget<Found extends Entry, Named, Held extends Entry<Stepped>, Key extends KeyReference>(
  table: Table<Found, Named, Held, Key>,
  successor: Expired<Named>,
): void {
  const kept = table.keptFor(successor);
  table.delete(successor.named);
  if (kept !== undefined) table.expire(kept.named, Math.max(table.now(), kept.keptUntil));
}

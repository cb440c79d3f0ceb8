import type { KeyReference } from "../ports/idempotency-store.js";
import type { RecordResult, Submission } from "../ports/submission.js";
import type { Entry, Stepped } from "./entry.js";
import type { Table } from "./table.js";

/** Binds the key and creates the operation, unless the key is bound. */
export function record<Found extends Entry, Named, Held extends Entry<Stepped>, Key extends KeyReference>(
  table: Pick<Table<Found, Named, Held, Key>, "holderOf" | "insert" | "find">,
  { operation, fingerprint, initial }: Submission,
  key: Key | undefined,
): RecordResult {
  const holder = key && table.holderOf(key);
  if (holder === undefined) {
    // If an earlier call has created it, this changes nothing.
    table.insert(operation, initial, key, fingerprint);
    return CREATED;
  }
  if (holder.operationId === operation.id) return CREATED;
  const known = table.find(holder.operationId)?.operation;
  if (known === undefined) throw new Error("The operation of a key does not exist.");
  return { outcome: "exists", operation: known, fingerprint: holder.fingerprint };
}

const CREATED = { outcome: "created" } as const;

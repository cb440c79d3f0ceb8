import type { Holder } from "../../../engine/table.js";
import type { KeyReference } from "../../../ports/idempotency-store.js";
import type { Runtime } from "../../../ports/runtime.js";
import { text } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";

/** Key with the hash that the indexes hold. */
export interface HashedKey extends KeyReference {
  readonly hash: number;
}

/** Number of characters of a hash in base64url that become a number. Each has 6 bits. */
const HASH_CHARACTERS = 8;
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Adds the hash to a key. */
export async function hashKey(
  { tenant, definition, key }: KeyReference,
  hash: Runtime["hash"],
): Promise<HashedKey> {
  // The lengths keep `a:b` + `c` and `a` + `b:c` apart.
  const digest = await hash(`${tenant.length}:${tenant}${definition.length}:${definition}${key}`);
  let number = 0;
  for (const character of digest.slice(0, HASH_CHARACTERS))
    number = number * BASE64URL.length + BASE64URL.indexOf(character);
  return { tenant, definition, key, hash: number };
}

/** Returns the operation that a key is bound to. */
export function findHolder(
  statements: Statements,
  { hash, tenant, definition, key }: HashedKey,
): Holder | undefined {
  const row = statements.first(
    `select id, fingerprint from arr_operations
     where key_hash is not null and key_hash = ? and tenant = ? and definition = ? and key = ?`,
    ...[hash, tenant, definition, key],
  );
  return row && { operationId: text(row, "id"), fingerprint: text(row, "fingerprint") };
}

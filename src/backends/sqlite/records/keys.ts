import type { KeyReference } from "../../../ports/idempotency-store.js";
import type { Runtime } from "../../../ports/runtime.js";
import { integer, text } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";

/** Key with the hash that the indexes hold. */
export interface HashedKey extends KeyReference {
  readonly hash: number;
}

/** The operation that a key is bound to. */
export interface Holder {
  readonly operationId: string;
  readonly fingerprint: string;
  /** Whether a row of `arr_keys` holds the key, not the row of its operation. */
  readonly isKeyOnly: boolean;
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

const SAME_KEY = "key_hash = ? and tenant = ? and definition = ? and key = ?";

/** Returns the operation that a key is bound to. */
export function findHolder(statements: Statements, key: HashedKey): Holder | undefined {
  const values = [key.hash, key.tenant, key.definition, key.key] as const;
  const row = statements.first(
    `select id as operation_id, fingerprint, 0 as is_key_only from arr_operations where key_hash is not null and ${SAME_KEY}
     union all select operation_id, fingerprint, 1 from arr_keys where ${SAME_KEY}`,
    ...values,
    ...values,
  );
  return (
    row && {
      operationId: text(row, "operation_id"),
      fingerprint: text(row, "fingerprint"),
      isKeyOnly: integer(row, "is_key_only") === 1,
    }
  );
}

/** Frees a key if it is bound to this operation. */
export function releaseKey(statements: Statements, key: HashedKey, operationId: string): void {
  const values = [key.hash, key.tenant, key.definition, key.key, operationId] as const;
  statements.run(`delete from arr_keys where ${SAME_KEY} and operation_id = ?`, ...values);
  statements.run(
    `update arr_operations set key_hash = null where key_hash is not null and ${SAME_KEY} and id = ?`,
    ...values,
  );
}

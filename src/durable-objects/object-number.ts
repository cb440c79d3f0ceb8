import type { OperationStore } from "../ports/operation-store.js";
import { MAX_SHARDS } from "./object-name.js";

/**
 * The number of an object, which its operation ids end with: 26 bits for the tenant, and 6 for the shard. So a Worker finds the shard
 * of an id without a call, and the directory finds the object of any id.
 */
export type ObjectNumber = number;

const TENANT_NUMBERS = 2 ** 26;
const DIGITS = 8;

/** Returns a random number of a tenant. */
export function randomTenantNumber(random: () => number): number {
  return Math.floor(random() * TENANT_NUMBERS);
}

/** Returns the number of an object of a tenant. */
export function toObjectNumber(tenantNumber: number, shard: number): ObjectNumber {
  return tenantNumber * MAX_SHARDS + shard;
}

/** Returns the number of the tenant of an object. */
export function tenantNumberOf(number: ObjectNumber): number {
  return Math.floor(number / MAX_SHARDS);
}

/** Returns an id that ends with a number instead of random bits. */
export function withObjectNumber(id: string, number: ObjectNumber): string {
  return id.slice(0, -DIGITS) + number.toString(16).padStart(DIGITS, "0");
}

/** Returns the number at the end of an operation id. */
export function objectNumberOf(id: string): ObjectNumber {
  return Number.parseInt(id.slice(-DIGITS), 16);
}

/** Returns the shard of an operation id. */
export function shardOf(id: string): number {
  return objectNumberOf(id) % MAX_SHARDS;
}

/** Returns a store whose successors of failed operations end with the same number as these. */
export function keepingNumbers<Store extends Pick<OperationStore, "redrive">>(store: Store): Store {
  return {
    ...store,
    redrive: (id, { id: successor, onEndId, ...rest }) => {
      const number = objectNumberOf(id);
      const ids = { id: withObjectNumber(successor, number), onEndId: withObjectNumber(onEndId, number) };
      return store.redrive(id, { ...rest, ...ids });
    },
  };
}

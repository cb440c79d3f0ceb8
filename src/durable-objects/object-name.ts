import { integer } from "../contract/option-values.js";
import type { OptionReader } from "../contract/options.js";

/** Which operations an object keeps: those of a tenant, or a share of them. */
export interface ObjectName {
  readonly tenant: string;
  /** Number of the share. The first is 0. */
  readonly shard: number;
  /** Number of objects of the tenant. */
  readonly shards: number;
}

/** Maximum number of objects of a tenant: so many shares fit into the number of an object. */
export const MAX_SHARDS = 64;

/** Reads the number of objects of a tenant. Throws `INVALID_OPTION`. */
export const shardCount: OptionReader<number> = integer(1, MAX_SHARDS);

/** No tenant contains it. */
const SEPARATOR = "\0";

/** Returns the text of a name. It is the tenant alone if the tenant has one object. */
export function toNameText({ tenant, shard, shards }: ObjectName): string {
  return shards === 1 ? tenant : [tenant, shard, shards].join(SEPARATOR);
}

/** Reads the text of a name. */
export function parseNameText(text: string): ObjectName {
  const [tenant = "", shard = "0", shards = "1"] = text.split(SEPARATOR);
  return { tenant, shard: Number(shard), shards: Number(shards) };
}

/** Returns the names of all objects of a tenant. */
export function namesOf(tenant: string, shards: number): readonly string[] {
  return Array.from({ length: shards }, (_, shard) => toNameText({ tenant, shard, shards }));
}

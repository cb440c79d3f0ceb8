import { parseIdempotencyKey } from "../contract/idempotency-key.js";
import { header } from "../http/message/headers.js";
import type { HttpRequest } from "../http/message/message.js";
import { notFound } from "../http/message/refusals.js";
import { operationIdOf } from "../http/operation/status-monitor.js";
import type { Runtime } from "../ports/runtime.js";
import { shardCount } from "./object-name.js";
import { shardOf } from "./object-number.js";

/** Reads the option `shards`. The returned function throws `INVALID_OPTION` if that of the user returns no such number. */
export function readShards(
  shards: number | ((tenant: string) => number) | undefined,
): (tenant: string) => number {
  if (typeof shards === "function") return (tenant) => shardCount(shards(tenant), "shards(tenant)");
  const fixed = shardCount(shards, "shards");
  return () => fixed;
}

/** Returns the function that chooses the shard of a submission by its key, so that a repeated one meets the same object. */
export function shardOfKey({ hash, random }: Pick<Runtime, "hash" | "random">) {
  return async (request: HttpRequest, shards: number): Promise<number> => {
    const key = header(request.headers, "idempotency-key");
    if (key === undefined) return Math.floor(random() * shards);
    const digest = await hash(parseIdempotencyKey(key));
    return leadingBits(digest) % shards;
  };
}

/**
 * Returns the shard that the operation id of a path names. Throws `NOT_FOUND` if the tenant does not have it.
 *
 * @param suffix what follows the id in the path
 */
export function shardOfOperation(request: HttpRequest, shards: number, suffix = ""): number {
  const shard = shardOf(operationIdOf(request, suffix));
  if (shard < shards) return shard;
  throw notFound();
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LEADING = 5;

/** Returns the first 30 bits of a text in base64url. */
function leadingBits(base64url: string): number {
  return [...base64url.slice(0, LEADING)].reduce(
    (bits, digit) => bits * ALPHABET.length + ALPHABET.indexOf(digit),
    0,
  );
}

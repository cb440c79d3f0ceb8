import { randomFillSync } from "node:crypto";

const RANDOM_BYTES = 8_192;
const pool = Buffer.allocUnsafe(RANDOM_BYTES);
let used = RANDOM_BYTES;

function random(bytes) {
  if (used + bytes > RANDOM_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}

/** Creates an id in time order, like the ids of operations. */
function uuidV7() {
  const time = Date.now().toString(16).padStart(12, "0");
  const bytes = random(10);
  bytes[0] = (bytes[0] & 0x0f) | 0x70;
  bytes[2] = (bytes[2] & 0x3f) | 0x80;
  return dashed(time + bytes.toString("hex"));
}

function uuidV4() {
  const bytes = random(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return dashed(bytes.toString("hex"));
}

function dashed(hex) {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const TENANT = "bench";
export const DEFINITION = "orders";
const input = '{"itemId":"SKU-0001-BLUE","quantity":2}';
const fingerprint = "1:Yk3n0rXlV5C8xmbm8mGhUO8Uq1wOJ6cH1mXK0n9b4wE";

const makers = { v4: uuidV4, v7: uuidV7 };

/** Creates the orders that every variant accepts: an operation and its key, with ids of the given kinds. */
export function newOrder({ ids = "v7", keys = "v4" } = {}) {
  return {
    id: makers[ids](),
    tenant: TENANT,
    definition: DEFINITION,
    key: makers[keys](),
    fingerprint,
    input,
  };
}

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { startServer } from "./child.mjs";

const order = { itemId: "SKU-0001-BLUE", quantity: 2 };

/** Checks once that a server works correctly, because a fast wrong answer is not a result. */
export async function checkVariant(variant) {
  const server = await startServer(variant);
  try {
    await checkAnswers(server.origin, variant);
  } catch (cause) {
    throw new Error(`${variant.name} does not work correctly, so it is not measured.`, { cause });
  } finally {
    await server.stop();
  }
}

async function checkAnswers(origin, { retain, replays, checks }) {
  const key = randomUUID();
  const first = await accepted(origin, key);
  if (retain) assert.equal((await statusOf(origin, first)).operationId, first.operationId);
  if (replays) assert.equal((await accepted(origin, key)).operationId, first.operationId);
  if (replays) assert.ok((await post(origin, key, { ...order, quantity: 3 })).status >= 400);
  assert.notEqual((await accepted(origin, randomUUID())).operationId, first.operationId);
  if (checks) assert.ok((await post(origin, randomUUID(), { ...order, quantity: 0 })).status >= 400);
}

async function accepted(origin, key) {
  const response = await post(origin, key, order);
  const operation = await response.json();
  assert.equal(response.status, 202);
  assert.equal(operation.status, "pending");
  assert.equal(response.headers.get("location"), `/operations/${operation.operationId}`);
  assert.match(response.headers.get("retry-after"), /^[0-9]+$/);
  assert.match(response.headers.get("content-type"), /^application\/json/);
  return operation;
}

async function statusOf(origin, { operationId }) {
  const headers = { authorization: "Bearer bench-token" };
  const response = await fetch(`${origin}/operations/${operationId}`, { headers });
  assert.equal(response.status, 200);
  return response.json();
}

/** Submits an order. The reading benchmarks also use this to create the operation that they read. */
export function post(origin, key, value) {
  return fetch(`${origin}/orders`, {
    method: "POST",
    headers: {
      authorization: "Bearer bench-token",
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(value),
  });
}

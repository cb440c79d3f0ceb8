import { randomUUID } from "node:crypto";
import Fastify from "fastify";

const order = {
  type: "object",
  required: ["itemId", "quantity"],
  additionalProperties: false,
  properties: {
    itemId: { type: "string", minLength: 1, maxLength: 255 },
    quantity: { type: "integer", exclusiveMinimum: 0 },
  },
};

const operation = {
  type: "object",
  properties: { operationId: { type: "string" }, status: { type: "string" } },
};

/** Fastify with schemas for the body and the reply. No idempotency keys, no authorization. */
export async function createServer({ retain }) {
  const operations = new Map();
  const app = Fastify();

  app.post("/orders", { schema: { body: order, response: { 202: operation } } }, async (request, reply) => {
    const accepted = { operationId: randomUUID(), status: "pending" };
    if (retain) operations.set(accepted.operationId, { ...accepted, ...request.body });
    reply.code(202).header("location", `/operations/${accepted.operationId}`).header("retry-after", "1");
    return accepted;
  });
  app.get("/operations/:id", { schema: { response: { 200: operation } } }, async (request) =>
    operations.get(request.params.id),
  );

  await app.ready();
  return app.server;
}

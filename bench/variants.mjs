/**
 * The servers to compare. `retain`: operations are kept and can be read. `replays`: a repeated key gets its first operation.
 * `checks`: payloads that violate the contract are refused. Only the product and the handwritten server authorize, but every
 * request carries the token.
 */
export const bare = { name: "bare node:http + JSON.parse", server: "bare" };
export const bareRetaining = { ...bare, name: "bare, retained", retain: true };
export const byHand = { name: "by hand, nothing retained", server: "by-hand", checks: true };
export const byHandRetaining = { ...byHand, name: "by hand, retained", retain: true, replays: true };
export const fastify = { name: "fastify 5 + schema", server: "fastify", checks: true };
export const fastifyRetaining = { ...fastify, name: "fastify 5 + schema, retained", retain: true };
export const hono = { name: "hono + zod-validator", server: "hono", checks: true };
export const honoRetaining = { ...hono, name: "hono + zod-validator, retained", retain: true };
export const h3Retaining = { name: "h3 + zod, retained", server: "h3", retain: true, checks: true };
export const express = {
  name: "express 5 + node-idempotency",
  server: "express-node-idempotency",
  retain: true,
  replays: true,
  checks: true,
};
export const product = { name: "product, nothing retained", server: "product", checks: true };
export const productRetaining = { ...product, name: "product, memory back end", retain: true, replays: true };

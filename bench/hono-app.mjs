import { randomUUID } from "node:crypto";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { orderSchema } from "./order-schema.mjs";

/** Hono with its zod validator. No idempotency keys, no authorization. */
export function createHonoApp({ retain }) {
  const operations = new Map();
  const app = new Hono();

  app.post("/orders", zValidator("json", orderSchema), (c) => {
    const accepted = { operationId: randomUUID(), status: "pending" };
    if (retain) operations.set(accepted.operationId, { ...accepted, ...c.req.valid("json") });
    return c.json(accepted, 202, { location: `/operations/${accepted.operationId}`, "retry-after": "1" });
  });
  app.get("/operations/:id", (c) => {
    const { operationId, status } = operations.get(c.req.param("id"));
    return c.json({ operationId, status });
  });
  return app;
}

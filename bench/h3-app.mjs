import { randomUUID } from "node:crypto";
import { H3, readValidatedBody } from "h3";
import { orderSchema } from "./order-schema.mjs";

/** h3 with a body validated by zod. No idempotency keys, no authorization. */
export function createH3App({ retain }) {
  const operations = new Map();
  const app = new H3();

  app.post("/orders", async (event) => {
    const order = await readValidatedBody(event, orderSchema);
    const accepted = { operationId: randomUUID(), status: "pending" };
    if (retain) operations.set(accepted.operationId, { ...accepted, ...order });
    event.res.status = 202;
    event.res.headers.set("location", `/operations/${accepted.operationId}`);
    event.res.headers.set("retry-after", "1");
    return accepted;
  });
  app.get("/operations/:id", (event) => {
    const { operationId, status } = operations.get(event.context.params.id);
    return { operationId, status };
  });
  return app;
}

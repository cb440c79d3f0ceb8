import { randomUUID } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { Idempotency } from "@node-idempotency/core";
import express from "express";
import { orderSchema } from "../order-schema.mjs";

/** Express with zod and @node-idempotency/core, whose storage is a Map without expiry. Always retains operations. */
export async function createServer() {
  const idempotency = new Idempotency(mapStorage());
  const operations = new Map();
  const app = express();
  app.use(express.json());
  app.use(replays(idempotency));

  app.post("/orders", (req, res) => {
    const checked = orderSchema.safeParse(req.body);
    if (!checked.success) return res.status(422).json({ errors: checked.error.issues });
    const accepted = { operationId: randomUUID(), status: "pending" };
    operations.set(accepted.operationId, { ...accepted, ...checked.data });
    res.status(202).set({ location: `/operations/${accepted.operationId}`, "retry-after": "1" });
    return res.json(accepted);
  });
  app.get("/operations/:id", (req, res) => {
    const { operationId, status } = operations.get(req.params.id);
    res.json({ operationId, status });
  });
  return createHttpServer(app);
}

/** Middleware around the core: answers a known key from storage, and stores the answer to a new key. */
function replays(idempotency) {
  return async (req, res, next) => {
    if (req.method !== "POST") return next();
    const request = { method: req.method, path: req.path, headers: req.headers, body: req.body };
    const known = await idempotency.onRequest(request).catch(({ message }) => ({
      body: { error: message },
      additional: { status: 422, headers: {} },
    }));
    if (known !== undefined) {
      return res.status(known.additional.status).set(known.additional.headers).json(known.body);
    }
    const send = res.json.bind(res);
    res.json = (body) => {
      const additional = { status: res.statusCode, headers: res.getHeaders() };
      idempotency.onResponse(request, { body, additional }).then(() => send(body), next);
      return res;
    };
    return next();
  };
}

function mapStorage() {
  const values = new Map();
  return {
    setIfNotExists: async (key, value) => {
      if (values.has(key)) return false;
      values.set(key, value);
      return true;
    },
    set: async (key, value) => {
      values.set(key, value);
    },
    get: async (key) => values.get(key),
  };
}

import { createAdaptorServer } from "@hono/node-server";
import { createHonoApp } from "../hono-app.mjs";

/** Hono with its own Node adapter. */
export async function createServer({ retain }) {
  return createAdaptorServer({ fetch: createHonoApp({ retain }).fetch });
}

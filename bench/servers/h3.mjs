import { createServer as createHttpServer } from "node:http";
import { toNodeHandler } from "h3/node";
import { createH3App } from "../h3-app.mjs";

/** h3 with its own Node adapter. */
export async function createServer({ retain }) {
  return createHttpServer(toNodeHandler(createH3App({ retain })));
}

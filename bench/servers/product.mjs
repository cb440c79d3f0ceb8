import { createServer as createHttpServer } from "node:http";
import { bearer, createMemoryBackend, createOrderService } from "../../dist/index.js";
import { toNodeHandler } from "../../dist/node.js";
import { createForgetfulBackend } from "../backends/forgetful.mjs";

/** This package with the whole contract on. Nobody works: what is measured is the way to the reply. */
export async function createServer({ retain }) {
  const service = createOrderService({
    authorize: bearer({ "bench-token": "bench" }),
    backend: retain ? createMemoryBackend() : createForgetfulBackend(),
  });
  return createHttpServer(toNodeHandler(service));
}

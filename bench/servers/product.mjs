import { createServer as createHttpServer } from "node:http";
import { bearer, createMemoryBackend, createOrderService } from "../../dist/index.js";
import { toNodeHandler } from "../../dist/node.js";
import { createForgetfulBackend } from "../backends/forgetful.mjs";

/** This package with the whole contract. There is no worker, because only the time to the reply is measured. */
export async function createServer({ retain }) {
  const service = createOrderService({
    authorize: bearer({ "bench-token": "bench" }),
    backend: retain ? createMemoryBackend() : createForgetfulBackend(),
  });
  return createHttpServer(toNodeHandler(service));
}

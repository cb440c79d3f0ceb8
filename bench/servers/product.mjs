import { createServer as createHttpServer } from "node:http";
import { load } from "../against/build.mjs";
import { createForgetfulBackend } from "../backends/forgetful.mjs";

const { bearer, createMemoryBackend, createOrderService } = await load("index");
const { toNodeHandler } = await load("node");

/** This package with the whole contract. There is no worker, because only the time to the reply is measured. */
export async function createServer({ retain }) {
  // In production, the service would warn of the back end in memory at each start.
  process.env.NODE_ENV = "benchmark";
  const service = createOrderService({
    authorize: bearer({ "bench-token": "bench" }),
    backend: retain ? createMemoryBackend() : createForgetfulBackend(),
  });
  return createHttpServer(toNodeHandler(service));
}

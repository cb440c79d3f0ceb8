import { createServer as createHttpServer } from "node:http";
import { load } from "../against/build.mjs";
import { createForgetfulBackend } from "../backends/forgetful.mjs";

const { bearer, createMemoryBackend, createOrderService } = await load("index");
const { toNodeHandler } = await load("node");

/** There is no worker to take them. With too many, each submission would report that the rest waits for a sweep. */
const MAX_ANNOUNCEMENTS = 10_000_000;

/** This package with the whole contract. There is no worker, because only the time to the reply is measured. */
export async function createServer({ retain }) {
  // In production, the service would warn of the back end in memory at each start.
  process.env.NODE_ENV = "benchmark";
  const service = createOrderService({
    authorize: bearer({ "bench-token": "bench" }),
    backend: retain ? createMemoryBackend({ maxAnnouncements: MAX_ANNOUNCEMENTS }) : createForgetfulBackend(),
  });
  return createHttpServer(toNodeHandler(service));
}

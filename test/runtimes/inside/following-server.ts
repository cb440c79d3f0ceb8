import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";

const service = createOrderService({
  authorize: allowAnonymous(),
  maxWaiters: 3,
  // Waits then last exactly as long as clients prefer.
  runtime: { random: () => 0 },
});
const handle = toFetchHandler(service);

/** Work that waits for the next request to `/step`, and the steps that were requested before. */
const waiting: (() => void)[] = [];
let steps = 0;

function step(): Promise<void> | undefined {
  if (steps === 0) return new Promise((resolve) => waiting.push(resolve));
  steps -= 1;
  return undefined;
}

const worker = createWorker(service, {
  orders: async ({ quantity }, job) => {
    await step();
    job.progress({ percent: 50 });
    await step();
    return { shipped: quantity };
  },
});
void worker.start();

/** Bun and `deno serve` serve the default export. */
export default {
  hostname: "127.0.0.1",
  port: 0,
  /** Shortest idle limit of Bun. Seconds. Its default is 10. */
  idleTimeout: 1,
  fetch: (request: Request, platform: object): Promise<Response> | Response => {
    const { pathname } = new URL(request.url);
    if (pathname === "/silent") return new Promise(() => {});
    if (pathname !== "/step") return handle(request, platform);
    const next = waiting.shift();
    if (next === undefined) steps += 1;
    else next();
    return new Response();
  },
};

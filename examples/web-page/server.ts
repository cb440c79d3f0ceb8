/**
 * A web page that exports an account, shows the progress, and survives a reload. The browser loads the client as it is in
 * the package. Run `npm run build:start && node examples/web-page/dist/server.js`, then open http://localhost:3000 in a
 * browser, or
 *
 * curl -i localhost:3000/accounts/7/exports -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "export-1"' -d '{"format":"csv"}'
 */
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { allowAnonymous, createService, createWorker } from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import { exportsOf } from "./contract.js";

const service = createService({ definitions: [exportsOf], authorize: allowAnonymous(), list: true });
const worker = createWorker(service, {
  exports: async ({ accountId, format }, job) => {
    for (let percent = 0; percent < 100; percent += 10) {
      job.progress({ percent });
      await sleep(200, undefined, { signal: job.signal });
    }
    return { url: `/exports/${encodeURIComponent(accountId)}.${format}` };
  },
});

const handle = toNodeHandler(service);
const client = import.meta.resolve("async-request-reply/client");
const server = createServer((request, response) => {
  const path = request.url ?? "/";
  if (path === "/") return void send(response, "text/html", new URL("../page.html", import.meta.url));
  if (path === "/page.js")
    return void send(response, "text/javascript", new URL("../page.js", import.meta.url));
  const [, module] = /^\/modules\/([\w-]+\.js)$/.exec(path) ?? [];
  if (module !== undefined) return void send(response, "text/javascript", new URL(module, client));
  return void handle(request, response);
});

async function send(response: ServerResponse, type: string, file: URL): Promise<void> {
  try {
    response.setHeader("content-type", `${type}; charset=utf-8`).end(await readFile(file));
  } catch {
    response.writeHead(404).end();
  }
}

await worker.start();
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});

process.once("SIGTERM", () => closeServer(server, service));

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { bearer, createService, createWorker, defineOperation } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { builtFile } from "../support/built.js";
import { page } from "../support/pages.js";

/** Names and values of header fields. */
export type Fields = Readonly<Record<string, string>>;

/** Returns the fields that docs/client.md tells to send, for pages of an origin. */
export function documentedFields(origin: string): Fields {
  const rows = [...page("docs/client.md").text.matchAll(/^\| `(Access-Control-[\w-]+)` \| (?:`([^`]+)`)?/gm)];
  const fields = rows.map(([, name = "", value = origin]) => [name.toLowerCase(), value]);
  return Object.fromEntries(fields) as Fields;
}

/** Listens on a free port of loopback until the test ends. Another port is another origin. */
export async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves an empty page, the script of the tests, and the modules of the client as they are in the package. */
export function servePage(): Promise<string> {
  const modules = dirname(builtFile("./client", "import"));
  return listen(async ({ url = "" }, response) => {
    const isScript = url.endsWith(".js");
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    const folder = url.startsWith("/modules/") ? modules : import.meta.dirname;
    response.end(isScript ? await readFile(join(folder, basename(url))) : "<!doctype html>");
  });
}

/** Serves a service whose work ends when a request asks for the end, with these fields for other origins. */
export async function serveService(fields: Fields): Promise<string> {
  const exportsOf = defineOperation({
    name: "exports",
    path: "/exports",
    input: z.strictObject({ account: z.string() }),
    cancellable: true,
  });
  const answers = defineOperation({
    name: "answers",
    path: "/answers",
    input: z.strictObject({}),
    chunk: z.string(),
    checkpoint: z.literal("kept"),
  });
  const service = createService({
    definitions: [exportsOf, answers],
    authorize: bearer({ secret: "tenant" }),
    observe: false,
    // Streams end soon, so that clients reconnect.
    maxStreamMs: 500,
  });
  const ends = new Map<string, () => void>();
  const run = ({ account }: { readonly account: string }, job: { readonly signal: AbortSignal }) =>
    new Promise<string>((resolve, reject) => {
      ends.set(account, () => resolve(`/${account}.csv`));
      job.signal.addEventListener("abort", () => reject(job.signal.reason));
    });
  // A worker learns of a cancellation when it renews a lease.
  const worker = createWorker(
    service,
    {
      exports: run,
      // Continues after its first attempt has failed, which must not lose its lease before that.
      answers: {
        leaseMs: 30_000,
        backoff: { baseMs: 1, maxMs: 1 },
        run: async (_, { write, checkpoint, resumed }) => {
          await write(resumed === undefined ? "kept" : "continued");
          if (resumed !== undefined) return;
          await checkpoint("kept");
          const seen = new Promise<void>((resolve) => ends.set("seen", resolve));
          await write("discarded");
          await seen;
          throw new Error("The first attempt fails.");
        },
      },
    },
    { leaseMs: 300 },
  );
  await worker.start();
  onTestFinished(async () => {
    await Promise.all([worker.stop(), service.close()]);
  });
  const handle = toNodeHandler(service);
  return listen((request, response) => {
    const { method, headers } = request;
    for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
    if (request.url === "/seen") ends.get("seen")?.();
    if (method === "OPTIONS") return void response.writeHead(204).end();
    // A client that waits for a change, or that reconnects to a stream, has all that it can have before the end.
    if (headers["if-none-match"] !== undefined) ends.get("waiting")?.();
    if (headers["last-event-id"] !== undefined) ends.get("streaming")?.();
    return void handle(request, response);
  });
}

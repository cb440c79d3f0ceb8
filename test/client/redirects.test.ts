import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createClient, eventStream } from "async-request-reply/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { definitions } from "../support/client-stage.js";
import { type Api, book, calls, ID, saved } from "./scripted.js";

/** A server with its own port, and so with its own origin, and the requests that it received. */
type Site = Awaited<ReturnType<typeof listen>>;

async function listen(handle: RequestListener) {
  const received: { readonly line: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] =
    [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ line: `${method} ${url}`, headers, body: await text(request) });
    handle(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Listens and redirects every request. Without a location, the reply has no `Location`. */
function redirect(status: number, location: string | ((url: string) => string) | undefined): Promise<Site> {
  return listen(({ url = "" }, response) => {
    const to = typeof location === "function" ? location(url) : location;
    response.writeHead(status, to === undefined ? {} : { location: to }).end("Moved.");
  });
}

const operation = JSON.stringify({ operationId: ID, status: "completed", result: "done" });

/** Redirects each path to the same one below `/new`, which replies with an operation. */
function moved(status: number): Promise<Site> {
  return listen(({ url = "" }, response) => {
    if (url.startsWith("/new/"))
      response.writeHead(200, { "content-type": "application/json" }).end(operation);
    else response.writeHead(status, { location: `/new${url}` }).end("Moved.");
  });
}

function connect({ origin }: Site): Api {
  return createClient({ baseUrl: origin, definitions, eventStream, headers: { "x-api-key": "secret" } });
}

describe("a redirect to another origin", () => {
  it.each(calls)("of %s is refused, and nothing is sent there", async (_, call) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const other = await listen((_request, response) => void response.end(operation));
      const site = await redirect(status, `${other.origin}/orders`);
      await expect(call(connect(site))).rejects.toMatchObject({
        code: "REQUEST_REFUSED",
        detail: `The service redirects to ${other.origin}/orders. Check \`baseUrl\`.`,
        context: { problem: { status } },
      });
      expect([site.received.length, other.received]).toEqual([1, []]);
    }
  });
});

describe("a redirect within the origin", () => {
  it.each([307, 308])(
    "with %i is followed with the method, the header fields and the body",
    async (status) => {
      const site = await moved(status);
      const op = await connect(site).orders.submit(book, { key: "cart-7" });
      expect(op.operationId).toBe(ID);
      expect(site.received.map(({ line }) => line)).toEqual(["POST /orders", "POST /new/orders"]);
      for (const { headers, body } of site.received) {
        expect(headers).toMatchObject({ "idempotency-key": '"cart-7"', "x-api-key": "secret" });
        expect(JSON.parse(body)).toEqual(book);
      }
    },
  );

  it("is followed to read and to cancel", async () => {
    const site = await moved(308);
    expect(await connect(site).orders.resume(saved).result()).toBe("done");
    await connect(site).orders.resume(saved).cancel();
    expect(site.received.map(({ line }) => line)).toEqual([
      `GET /operations/${ID}`,
      `GET /new/operations/${ID}`,
      `DELETE /operations/${ID}`,
      `DELETE /new/operations/${ID}`,
    ]);
  });

  it.each([301, 302, 303])("with %i is refused, because others would change the method", async (status) => {
    const site = await moved(status);
    await expect(connect(site).orders.submit(book)).rejects.toMatchObject({
      code: "REQUEST_REFUSED",
      detail: "The service redirects to /new/orders. Check `baseUrl`.",
    });
    expect(site.received).toHaveLength(1);
  });

  it.each([
    ["back to the same address", (url: string) => url],
    ["to ever new addresses", (url: string) => `${url}x`],
  ])("%s is followed five times", async (_, location) => {
    const site = await redirect(307, location);
    await expect(connect(site).orders.submit(book)).rejects.toMatchObject({
      code: "REQUEST_REFUSED",
      context: { problem: { status: 307 } },
    });
    expect(site.received).toHaveLength(6);
  });
});

it.each([
  ["no location", undefined],
  ["a malformed location", "http://["],
  ["a location with credentials", "//user:password@127.0.0.1"],
  ["a location without a host", "data:,x"],
])("a redirect with %s is refused", async (_, location) => {
  const site = await redirect(307, location);
  await expect(connect(site).orders.submit(book)).rejects.toMatchObject({ code: "REQUEST_REFUSED" });
  expect(site.received).toHaveLength(1);
});

import { gzipSync } from "node:zlib";
import { toExpressHandler } from "async-request-reply/express";
import { toFetchHandler } from "async-request-reply/fetch";
import { toNodeHandler } from "async-request-reply/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { type App, expressVersions } from "../support/express-apps.js";
import { startServer, type ToListener } from "../support/node-harness.js";
import { type ConsoleStage, createConsoleStage, FROM_PAGE } from "./stage.js";

type Send = (path: string, options?: RequestInit) => Promise<Response>;

async function listen({ console }: ConsoleStage, toListener: ToListener): Promise<Send> {
  const { port, close } = await startServer(console, toListener);
  onTestFinished(close);
  return (path, options) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...options });
}

const adapters: readonly (readonly [name: string, mount: (stage: ConsoleStage) => Promise<Send>])[] = [
  ["Node", (stage) => listen(stage, toNodeHandler)],
  [
    "Fetch",
    async ({ console }) => {
      const handler = toFetchHandler(console);
      return (path, options) => handler(new Request(`https://ops.example${path}`, options));
    },
  ],
  ...expressVersions.map(({ version, express }) => {
    const toApp: ToListener = (console) => {
      const app = express() as App & { use(path: string, handler: unknown): unknown };
      app.use("/ops/console", toExpressHandler(console));
      return app;
    };
    return [`Express ${version}`, (stage: ConsoleStage) => listen(stage, toApp)] as const;
  }),
];

describe.each(adapters)("a console on %s", (_, mount) => {
  it("works under any base path, with relative URLs", async () => {
    const send = await mount(createConsoleStage());
    const moved = await send("/ops/console?status=all");
    expect(moved.status).toBe(308);
    expect(moved.headers.get("location")).toBe("./console/?status=all");
    const page = await send("/ops/console/");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await page.text();
    const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = ""]) => link);
    expect(links).toEqual(["icon.svg", "console.css", "console.js", "#main", "?", "icon.svg"]);
    for (const link of links.slice(0, 3)) expect((await send(`/ops/console/${link}`)).status).toBe(200);
  });

  it("reads data and makes changes", async () => {
    const stage = createConsoleStage();
    const send = await mount(stage);
    const id = await stage.end("throw");
    const list = await (await send("/ops/console/api/operations?status=failed")).json();
    expect(list).toMatchObject({ operations: [{ operationId: id }] });
    const options = { method: "POST", headers: FROM_PAGE, body: "{}" };
    const redriven = await send(`/ops/console/api/operations/${id}/redrive`, options);
    expect(await redriven.json()).toMatchObject({ outcome: "redriven", operation: { retryOf: id } });
  });

  it("streams what changes", async () => {
    const stage = createConsoleStage();
    const send = await mount(stage);
    const reply = await send("/ops/console/api/events");
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    const id = await stage.end("complete");
    let text = "";
    for await (const bytes of reply.body ?? []) {
      text += new TextDecoder().decode(bytes);
      if (text.includes("data:")) break;
    }
    expect(text).toContain(`event: changed\ndata: {"ids":["${id}"]}\n\n`);
  });
});

const PATHS = [
  "/",
  "/console.js",
  "/console.css",
  "/icon.svg",
  "/console",
  "/api/overview",
  "/api/operations/1",
];

describe("every reply", () => {
  it.each(PATHS)("allows nothing but what the page needs: %s", async (path) => {
    const { send } = createConsoleStage();
    const { headers } = await send({ path });
    const policy = headers["content-security-policy"] ?? "";
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it.each(PATHS)("has the same header fields for HEAD, and no body: %s", async (path) => {
    const { send } = createConsoleStage();
    const { status, headers } = await send({ path });
    expect(await send({ method: "HEAD", path })).toEqual({ status, headers });
  });

  it.each(["/nothing.js", "/api/nothing", "/api/operations/1/2/3", "", "*"])(
    "is a 404 for unknown paths: %s",
    async (path) => {
      const { send } = createConsoleStage();
      expect((await send({ path })).status).toBe(404);
    },
  );

  it("stays on its own site when it adds a slash", async () => {
    const { send } = createConsoleStage();
    expect((await send({ path: "//evil%2eexample" })).headers.location).toBe("./evil%2eexample/");
    expect((await send({ path: "/javascript:x" })).headers.location).toBe("./javascript:x/");
  });

  it("is a 503 after close", async () => {
    const { console, send } = createConsoleStage();
    await console.close();
    expect((await send({ path: "/" })).status).toBe(503);
  });
});

describe("the page", () => {
  const read = async (path: string): Promise<string> => {
    const { send } = createConsoleStage();
    return String((await send({ path })).body);
  };

  it("has at most 30 KB, compressed", async () => {
    const files = await Promise.all(["/", "/console.js", "/console.css", "/icon.svg"].map(read));
    const bytes = files.map((text) => gzipSync(text).byteLength);
    const total = bytes.reduce((sum, each) => sum + each, 0);
    console.log(`the page of the console: ${total} bytes compressed`);
    expect(Math.min(...bytes)).toBeGreaterThan(100);
    expect(total).toBeLessThanOrEqual(30 * 1024);
  });

  it("has nothing inline, and nothing from elsewhere", async () => {
    const html = await read("/");
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*src=)|\/\//);
    expect(await read("/console.css")).not.toMatch(/url\(|@import|\/\//);
    // The only way to create a picture without markup.
    const script = (await read("/console.js")).replace("http://www.w3.org/2000/svg", "");
    expect(script).not.toMatch(/https?:|innerHTML|eval\(/);
  });
});

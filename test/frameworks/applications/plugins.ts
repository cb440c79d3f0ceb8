import { expect } from "vitest";
import type { SourceFile } from "../project.js";
import type { Server } from "../server.js";
import type { Behavior } from "./application.js";

const ORIGIN = "https://app.example.com";

/** Options of CORS: replies depend on the origin of the page. */
const CORS = `{ origin: ["${ORIGIN}"], exposedHeaders: "ETag" }`;

/** A client that has sent this field may send two requests. All others are unlimited. */
const LIMITED = "x-limited-client";

/** CORS of NestJS, on either platform. */
export const NEST_CORS = `app.enableCors(${CORS});`;

/** CORS, a rate limit and a cookie that is sent back, as applications on Express add them. */
export const ON_EXPRESS = {
  imports: `
import cookieParser from "cookie-parser";
import cors from "cors";
import type { NextFunction, Request, Response } from "express";
import { rateLimit } from "express-rate-limit";`,
  cors: `app.use(cors(${CORS}));`,
  others: `
app.use(rateLimit({ limit: 2, keyGenerator: (req) => String(req.headers["${LIMITED}"]), skip: (req) => !req.headers["${LIMITED}"] }));
app.use(cookieParser());
app.use((req: Request, res: Response, next: NextFunction) => {
  if (req.cookies.visit) res.cookie("visit", req.cookies.visit);
  next();
});`,
} as const;

/** The same on Fastify. `app` may be an application of NestJS. */
export const ON_FASTIFY = {
  imports: `
import cookies from "@fastify/cookie";
import cors from "@fastify/cors";
import rateLimit from "@fastify/rate-limit";`,
  cors: `await app.register(cors, ${CORS});`,
  others: `
await app.register(rateLimit, { max: 2, keyGenerator: (request) => String(request.headers["${LIMITED}"]), allowList: (request) => !request.headers["${LIMITED}"] });
await app.register(cookies);`,
  /** @param instance Where the application has Fastify. */
  hook: (instance: string): string => `
${instance}.addHook("onRequest", async (request, reply) => {
  const { visit } = request.cookies;
  if (visit) reply.header("set-cookie", ${instance}.serializeCookie("visit", visit));
});`,
} as const;

/** The same on Hono. */
export const ON_HONO = {
  imports: `
import { getCookie, setCookie } from "hono/cookie";
import { cors } from "hono/cors";
import { rateLimiter } from "hono-rate-limiter";`,
  statements: `
app.use(cors({ origin: ["${ORIGIN}"], methods: ["POST"], exposeHeaders: ["ETag"] }));
app.use(rateLimiter({ limit: 2, keyGenerator: (c) => c.req.header("${LIMITED}"), skip: (c) => !c.req.header("${LIMITED}") }));
app.use(async (c, next) => {
  const visit = getCookie(c, "visit");
  if (visit) setCookie(c, "visit", visit);
  await next();
});`,
} as const;

/** The same on Koa, which has its own cookies. */
export const ON_KOA = {
  imports: `
import cors from "@koa/cors";
import rateLimit from "koa-ratelimit";`,
  statements: `
app.use(cors({ origin: (ctx) => ctx.get("origin") === "${ORIGIN}" && "${ORIGIN}", exposeHeaders: "ETag" }));
app.use(rateLimit({ driver: "memory", db: new Map(), max: 2, id: (ctx) => ctx.get("${LIMITED}"), whitelist: (ctx) => ctx.get("${LIMITED}") === "" }));
app.use(async (ctx, next) => {
  const visit = ctx.cookies.get("visit");
  if (visit) ctx.cookies.set("visit", visit);
  await next();
});`,
} as const;

/** The same on Elysia. */
export const ON_ELYSIA = {
  imports: `
import { cors } from "@elysiajs/cors";
import { rateLimit } from "elysia-rate-limit";`,
  statements: `
  .use(cors({ origin: ["app.example.com"], exposeHeaders: "ETag" }))
  .use(rateLimit({ max: 2, generator: ({ headers }) => String(headers.get("${LIMITED}")), skip: ({ headers }) => !headers.has("${LIMITED}") }))
  .onRequest(({ request, set }) => {
    const visit = request.headers.get("cookie");
    if (visit) set.headers["set-cookie"] = visit;
  })`,
} as const;

/** The same on h3 2, which has no plugin for rate limits. */
export const ON_H3 = {
  imports: `
import { getCookie, H3, handleCors, serve, setCookie } from "h3-2";`,
  statements: `
let left = 2;
app.use(({ req, res }) => {
  if (!req.headers.has("${LIMITED}")) return;
  left -= 1;
  if (left < 0) return new Response("Too many requests", { status: 429 });
  res.headers.set("ratelimit-remaining", String(left));
});
app.use((event) => {
  const preflight = handleCors(event, { origin: ["${ORIGIN}"], methods: ["POST"], exposeHeaders: ["ETag"] });
  if (preflight !== false) return preflight;
  const visit = getCookie(event, "visit");
  if (visit) setCookie(event, "visit", visit);
});`,
} as const;

/** The same as a middleware of Nitro 2, which has h3 1. */
export const ON_NITRO = `
import { createError, defineEventHandler, getCookie, getHeader, handleCors, setCookie, setHeader } from "h3";

let left = 2;
export default defineEventHandler((event) => {
  if (handleCors(event, { origin: ["${ORIGIN}"], methods: ["POST"], exposeHeaders: ["ETag"] })) return;
  if (getHeader(event, "${LIMITED}")) {
    left -= 1;
    if (left < 0) throw createError({ statusCode: 429 });
    setHeader(event, "ratelimit-remaining", left);
  }
  const visit = getCookie(event, "visit");
  if (visit) setCookie(event, "visit", visit);
});
`;

/** The same as functions, for frameworks that have middleware instead of plugins. */
const FUNCTIONS = `
const ORIGIN = "${ORIGIN}";
const isPreflight = ({ method, headers }: Request) => method === "OPTIONS" && headers.has("access-control-request-method");
const isLimited = ({ headers }: Request) => headers.has("${LIMITED}");
let left = 2;
function answered(request: Request) {
  if (isPreflight(request)) return new Response(null, { status: 204, headers: { "access-control-allow-origin": ORIGIN, "access-control-allow-methods": "POST" } });
  if (isLimited(request) && --left < 0) return new Response("Too many requests", { status: 429 });
}
function addFields(request: Request, headers: Headers) {
  headers.set("access-control-allow-origin", ORIGIN);
  headers.set("access-control-expose-headers", "ETag");
  headers.append("vary", "Origin");
  if (isLimited(request)) headers.set("ratelimit-remaining", String(left));
  const visit = request.headers.get("cookie");
  if (visit) headers.append("set-cookie", visit);
}
`;

/** These functions in a hook of SvelteKit. */
export const ON_SVELTEKIT = {
  imports: `
import { sequence } from "@sveltejs/kit/hooks";`,
  hook: `${FUNCTIONS}
const plugins: Handle = async ({ event, resolve }) => {
  const answer = answered(event.request);
  if (answer) return answer;
  const response = await resolve(event);
  addFields(event.request, response.headers);
  return response;
};
export const handle = sequence(plugins, orders);
`,
} as const;

/** The same in a middleware of React Router. */
export const ON_REACT_ROUTER = `${FUNCTIONS}
export const middleware = [
  async ({ request }: { readonly request: Request }, next: () => Promise<Response>) => {
    const answer = answered(request);
    if (answer) return answer;
    const response = await next();
    addFields(request, response.headers);
    return response;
  },
];
`;

/** CORS and a cookie in the configuration of Next.js. */
export const ON_NEXT = `
  headers: async () => [
    { source: "/api/:path*", headers: [
      { key: "Access-Control-Allow-Origin", value: "${ORIGIN}" },
      { key: "Access-Control-Allow-Methods", value: "POST" },
      { key: "Access-Control-Expose-Headers", value: "ETag" },
      { key: "Vary", value: "Origin" },
    ] },
    { source: "/api/:path*", has: [{ type: "cookie", key: "visit", value: "(?<visit>.+)" }], headers: [
      { key: "Set-Cookie", value: "visit=:visit" },
    ] },
  ],
`;

/**
 * A rate limit on Next.js.
 *
 * @param name The file and its function, which depend on the version of Next.js
 */
export function limitOnNext(name: "middleware" | "proxy"): SourceFile {
  const text = `
import { NextResponse } from "next/server";

// It reads the bodies of all requests that match.
export const config = { matcher: [{ source: "/api/:path*", has: [{ type: "header", key: "${LIMITED}" }] }] };

let left = 2;
export function ${name}() {
  left -= 1;
  if (left < 0) return new NextResponse("Too many requests", { status: 429 });
  return NextResponse.next({ headers: { "ratelimit-remaining": String(left) } });
}
`;
  return { path: `${name}.js`, text };
}

/** Adds imports to a file, and statements before a line of it. */
export function adding(file: SourceFile, imports: string, before: string, statements: string): SourceFile {
  if (!file.text.includes(before)) throw new Error(`${file.path} has no line that begins with "${before}".`);
  return { ...file, text: `${imports}\n${file.text.replace(before, () => `${statements}\n${before}`)}` };
}

/** The text that the applications serve at `/`. */
export const HOME = "This is the application.";

export const leavesOtherPaths: Behavior = {
  name: "leaves other paths to the application",
  run: async (server) => {
    const home = await server.fetch("/");
    expect([home.status, await home.text()]).toEqual([200, expect.stringContaining(HOME)]);
  },
};

/** Promises of an application with CORS, a rate limit and a cookie that is sent back. */
export const keepsPlugins: readonly Behavior[] = [
  {
    name: "leaves preflights to the application's CORS",
    run: async (server, { mounted }) => {
      const fields = { "access-control-request-method": "POST", authorization: "" };
      const preflight = await send(server, "OPTIONS", mounted.path, fields);
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, ORIGIN]);
      expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    },
  },
  {
    name: "replies with the fields that CORS and cookies have set, beside those of the service",
    run: async (server, { mounted }) => {
      const accepted = await send(server, "POST", mounted.path, { cookie: "visit=first" }, mounted.body);
      const operation = await send(server, "GET", accepted.headers.get("location") ?? "");
      expect([accepted.status, operation.status]).toEqual([202, 200]);
      for (const { headers } of [accepted, operation]) {
        expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
        expect(headers.get("access-control-expose-headers")).toBe("ETag");
        const vary = headers.get("vary")?.toLowerCase().split(/ *, */);
        expect(vary).toEqual(expect.arrayContaining(["origin", "accept"]));
      }
      expect(accepted.headers.getSetCookie()).toEqual([expect.stringMatching(/^visit=first\b/)]);
    },
  },
  {
    name: "obeys the application's rate limit",
    run: async (server, { mounted }) => {
      const post = () => send(server, "POST", mounted.path, { [LIMITED]: "one" }, mounted.body);
      const replies = [await post(), await post(), await post()];
      expect(replies.map(({ status }) => status)).toEqual([202, 202, 429]);
      const [headers] = replies.map((reply) => reply.headers);
      expect(headers?.get("x-ratelimit-remaining") ?? headers?.get("ratelimit-remaining")).toBe("1");
    },
  },
];

function send(
  server: Server,
  method: string,
  path: string,
  fields: Readonly<Record<string, string>> = {},
  body: string | null = null,
): Promise<Response> {
  const headers = { origin: ORIGIN, "content-type": "application/json", ...fields };
  return server.fetch(path, { method, headers, body });
}

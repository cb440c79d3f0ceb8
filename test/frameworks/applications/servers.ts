import { bun } from "../../runtimes/matrix.js";
import { filesOf } from "../sections.js";
import { application } from "./application.js";
import { adding, HOME, ON_ELYSIA, ON_FASTIFY, ON_H3, ON_KOA, ON_NITRO } from "./plugins.js";

const ORDERS = `
import { bearer, createOrderService, createWorker } from "async-request-reply";

export const service = createOrderService({ authorize: bearer({ "demo-token": "demo" }) });
export const worker = createWorker(service, {
  orders: ({ itemId, quantity }) => ({ shipped: quantity, itemId }),
});
`;

const FASTIFY = `
import Fastify from "fastify";
import { operations } from "./operations.js";
import { service, worker } from "./orders.js";

const app = Fastify();
await app.register(operations, { service });
app.get("/", () => Promise.resolve("${HOME}"));
app.addHook("onReady", () => worker.start());
process.once("SIGTERM", () => void app.close());
await app.listen({ port: 3000 });
`;

const KOA = `${ON_KOA.imports}
import { closeServer } from "async-request-reply/node";
import Koa from "koa";
import { mount } from "./mount.js";
import { service, worker } from "./orders.js";

const app = new Koa();${ON_KOA.statements}
mount(app, service);
app.use((ctx) => { ctx.body = "${HOME}"; });
await worker.start();
const server = app.listen(3000);
process.once("SIGTERM", () => closeServer(server, service));
`;

const H3 = `${ON_H3.imports}
import { mount } from "./mount.js";
import { service, worker } from "./orders.js";

const app = new H3();${ON_H3.statements}
mount(app, service);
app.get("/", () => "${HOME}");
await worker.start();
const server = serve(app, { port: 3000, silent: true, gracefulShutdown: false });
process.once("SIGTERM", () => void service.close().then(() => server.close()));
`;

/** The files of a section, beside a service and a worker. */
const withOrders = (section: string) => [
  ...filesOf("docs/frameworks.md", section),
  { path: "orders.ts", text: ORDERS },
];

/** The plugin of the page, in an application. */
export const fastify = application({
  name: "Fastify",
  serve: ["server.js"],
  files: [
    ...withOrders("Fastify"),
    adding(
      { path: "server.ts", text: FASTIFY },
      ON_FASTIFY.imports,
      "await app.register(operations",
      `${ON_FASTIFY.cors}${ON_FASTIFY.others}${ON_FASTIFY.hook("app")}`,
    ),
  ],
  previous: {},
});

/** The function of the page, with an application of h3 2. */
export const h3 = application({
  name: "h3",
  serve: ["server.js"],
  files: [...withOrders("h3"), { path: "server.ts", text: H3 }],
});

/** The middleware of the page, in an application with plugins. */
export const koa = application({
  name: "Koa",
  serve: ["server.mjs"],
  files: [...withOrders("Koa"), { path: "server.mjs", text: KOA }],
  previous: {},
});

export const elysia = application({
  name: "Elysia",
  files: filesOf("docs/frameworks.md", "Elysia").map((file) =>
    adding(file, ON_ELYSIA.imports, "  .onStart(", ON_ELYSIA.statements),
  ),
  runtime: bun,
  serve: [...bun.options, "server.ts"],
});

/** The folder `server` of Nuxt, built by the server that is part of Nuxt. */
export const nitro = application({
  name: "Nuxt and Nitro",
  files: [
    ...filesOf("docs/frameworks.md", "Nuxt and Nitro"),
    {
      path: "nitro.config.ts",
      text: 'export default { srcDir: "server", compatibilityDate: "2026-11-01", logLevel: 1 };',
    },
    { path: "server/middleware/cors.ts", text: ON_NITRO },
    { path: "server/routes/index.ts", text: `export default () => "${HOME}";` },
  ],
  build: ["node_modules/nitropack/dist/cli/index.mjs", "build"],
  serve: [".output/server/index.mjs"],
});

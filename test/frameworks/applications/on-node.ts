import { filesOf } from "../sections.js";
import { type Application, ordersAt } from "./application.js";
import { HOME, leavesOtherPaths } from "./other-paths.js";
import { adding, keepsPlugins, ON_FASTIFY, ON_H3, ON_KOA } from "./plugins.js";
import { oldest } from "./runtimes.js";

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

const common = { runtime: oldest, serve: ["server.js"], mounted: ordersAt(""), endsWith: 0 } as const;

/** The plugin of the page, in an application. */
export const fastify: Application = {
  ...common,
  name: "Fastify",
  files: [
    ...filesOf("docs/frameworks.md", "Fastify"),
    { path: "orders.ts", text: ORDERS },
    adding(
      { path: "server.ts", text: FASTIFY },
      ON_FASTIFY.imports,
      "await app.register(operations",
      `${ON_FASTIFY.cors}${ON_FASTIFY.others}${ON_FASTIFY.hook("app")}`,
    ),
  ],
  own: [leavesOtherPaths, ...keepsPlugins],
  previous: {},
};

/** The function of the page, with an application of h3 2. */
export const h3: Application = {
  ...common,
  name: "h3",
  files: [
    ...filesOf("docs/frameworks.md", "h3"),
    { path: "orders.ts", text: ORDERS },
    { path: "server.ts", text: H3 },
  ],
  own: [leavesOtherPaths, ...keepsPlugins],
};

/** The middleware of the page, in an application with plugins. */
export const koa: Application = {
  ...common,
  name: "Koa",
  serve: ["server.mjs"],
  files: [
    ...filesOf("docs/frameworks.md", "Koa"),
    { path: "orders.ts", text: ORDERS },
    { path: "server.mjs", text: KOA },
  ],
  own: [leavesOtherPaths, ...keepsPlugins],
  previous: {},
};

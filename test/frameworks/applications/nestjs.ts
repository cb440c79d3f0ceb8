import { expect } from "vitest";
import { exampleFiles, filesOf } from "../sections.js";
import { application, type Behavior } from "./application.js";
import { adding, keepsPlugins, NEST_CORS, ON_EXPRESS, ON_FASTIFY } from "./plugins.js";

const guarded: Behavior = {
  name: "lets guards decide about controllers, and serves what these submit",
  run: async (server, { mounted }) => {
    const path = "/carts/book/checkout";
    expect((await server.fetch(path, { method: "POST", headers: { authorization: "" } })).status).toBe(401);
    const checkOut = () => server.fetch(path, { method: "POST" });
    const replies = [await checkOut(), await checkOut()];
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    const [first, again] = await Promise.all(replies.map((reply) => reply.json()));
    expect(again).toEqual(first);
    const { location } = first as { readonly location: string };
    const operation = await server.fetch(location, { headers: { prefer: "wait=20" } });
    expect(await operation.json()).toMatchObject({ result: { ...(mounted.result as object), shipped: 1 } });
  },
};

const files = [...exampleFiles("examples/nestjs"), ...filesOf("docs/frameworks.md", "Fastify")];

/** The example on both platforms, in an application with further plugins. */
export const nestjs = [
  {
    name: "NestJS on Express",
    main: "main",
    imports: ON_EXPRESS.imports.replace(/^import cors .*\n/m, ""),
    statements: NEST_CORS + ON_EXPRESS.others,
    previous: {},
  },
  {
    name: "NestJS on Fastify",
    main: "main-fastify",
    imports: ON_FASTIFY.imports.replace(/^import cors .*\n/m, ""),
    statements: NEST_CORS + ON_FASTIFY.others + ON_FASTIFY.hook("app.getHttpAdapter().getInstance()"),
    // The installed plugins are those of Fastify 4, and NestJS 11 has Fastify 5.
    previous: { files, own: [guarded] },
  },
].map(({ name, main, imports, statements, previous }) =>
  application({
    name,
    files: files.map((file) =>
      file.path === `${main}.ts` ? adding(file, imports, "app.enableShutdownHooks();", statements) : file,
    ),
    serve: [`${main}.js`],
    // Nest ends the process with the signal that it got, after the hooks.
    endsWith: "SIGTERM",
    own: [guarded, ...keepsPlugins],
    previous,
  }),
);

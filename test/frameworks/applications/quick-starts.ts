import { quickStartOn } from "../../docs/quick-starts.js";
import { blocksOf } from "../../support/pages.js";
import { application, reportsAt } from "./application.js";
import { adding, keepsPlugins, ON_EXPRESS, ON_FASTIFY, ON_HONO } from "./plugins.js";

/** The quick starts on frameworks, in applications with plugins. */
export const quickStarts = [
  {
    platform: "Express",
    imports: ON_EXPRESS.imports,
    before: "// Before the body parser.",
    statements: ON_EXPRESS.cors + ON_EXPRESS.others,
    previous: {},
  },
  {
    platform: "Fastify",
    imports: ON_FASTIFY.imports,
    before: "const handle =",
    statements: ON_FASTIFY.cors + ON_FASTIFY.others + ON_FASTIFY.hook("app"),
    previous: {},
  },
  { platform: "Hono", imports: ON_HONO.imports, before: 'app.on("ALL"', statements: ON_HONO.statements },
].map(({ platform, imports, before, statements, ...versions }) => {
  const [block] = blocksOf(quickStartOn(platform), "js");
  const program = { path: "server.mjs", text: block?.text ?? "" };
  return application({
    name: `${platform} in the quick start`,
    files: [adding(program, imports, before, statements)],
    serve: ["server.mjs"],
    mounted: reportsAt(""),
    own: keepsPlugins,
    ...versions,
  });
});

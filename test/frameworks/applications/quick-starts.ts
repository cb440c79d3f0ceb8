import { quickStartOn } from "../../docs/quick-starts.js";
import { blocksOf } from "../../support/pages.js";
import type { SourceFile } from "../project.js";
import { type Application, ordersAt } from "./application.js";
import { adding, keepsPlugins, ON_EXPRESS, ON_FASTIFY, ON_HONO } from "./plugins.js";
import { oldest } from "./runtimes.js";

const common = { runtime: oldest, serve: ["server.mjs"], mounted: ordersAt(""), endsWith: 0 } as const;

/** The program of a platform in the quick start. */
function program(platform: string): SourceFile {
  const [block] = blocksOf(quickStartOn(platform), "js");
  return { path: "server.mjs", text: block?.text ?? "" };
}

/** The quick starts on frameworks, in applications with plugins. */
export const quickStarts: readonly Application[] = [
  {
    ...common,
    name: "Express in the quick start",
    files: [
      adding(
        program("Express"),
        ON_EXPRESS.imports,
        "// Before the body parser.",
        ON_EXPRESS.cors + ON_EXPRESS.others,
      ),
    ],
    own: keepsPlugins,
    previous: {},
  },
  {
    ...common,
    name: "Fastify in the quick start",
    files: [
      adding(
        program("Fastify"),
        ON_FASTIFY.imports,
        "const handle =",
        ON_FASTIFY.cors + ON_FASTIFY.others + ON_FASTIFY.hook("app"),
      ),
    ],
    own: keepsPlugins,
    previous: {},
  },
  {
    ...common,
    name: "Hono in the quick start",
    files: [adding(program("Hono"), ON_HONO.imports, 'app.on("ALL"', ON_HONO.statements)],
    own: keepsPlugins,
  },
];

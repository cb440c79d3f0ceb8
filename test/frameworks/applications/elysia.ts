import { bun } from "../../runtimes/matrix.js";
import { filesOf } from "../sections.js";
import { type Application, ordersAt } from "./application.js";
import { leavesOtherPaths } from "./other-paths.js";
import { adding, keepsPlugins, ON_ELYSIA } from "./plugins.js";

export const elysia: Application = {
  name: "Elysia",
  files: filesOf("docs/frameworks.md", "Elysia").map((file) =>
    adding(file, ON_ELYSIA.imports, "  .onStart(", ON_ELYSIA.statements),
  ),
  runtime: bun,
  serve: [...bun.options, "server.ts"],
  mounted: ordersAt(""),
  endsWith: 0,
  own: [leavesOtherPaths, ...keepsPlugins],
};

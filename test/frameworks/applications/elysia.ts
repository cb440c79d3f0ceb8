import { bun } from "../../runtimes/matrix.js";
import { filesOf } from "../sections.js";
import { type Application, ordersAt } from "./application.js";
import { leavesOtherPaths } from "./other-paths.js";

export const elysia: Application = {
  name: "Elysia",
  files: filesOf("docs/frameworks.md", "Elysia"),
  runtime: bun,
  serve: [...bun.options, "server.ts"],
  mounted: ordersAt(""),
  endsWith: 0,
  own: [leavesOtherPaths],
};

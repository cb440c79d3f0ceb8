import { filesOf } from "../sections.js";
import { type Application, ordersAt } from "./application.js";
import { HOME, leavesOtherPaths } from "./other-paths.js";
import { keepsPlugins, ON_NITRO } from "./plugins.js";
import { oldest } from "./runtimes.js";

/** The folder `server` of Nuxt, built by the server that is part of Nuxt. */
export const nitro: Application = {
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
  runtime: oldest,
  build: ["node_modules/nitropack/dist/cli/index.mjs", "build"],
  serve: [".output/server/index.mjs"],
  mounted: ordersAt(""),
  endsWith: 0,
  own: [leavesOtherPaths, ...keepsPlugins],
};

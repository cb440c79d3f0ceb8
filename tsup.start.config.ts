import { defineConfig } from "tsup";
import { library } from "./tsup.config.js";

/** What runs without being published: the library without declarations, and the example server on top of it. */
export default defineConfig([
  library,
  {
    name: "orders-server",
    entry: ["examples/orders-server/*.ts"],
    outDir: "examples/orders-server/dist",
    format: "esm",
    platform: "node",
    target: "node20",
    // File by file: `async-request-reply` stays an import and is resolved through the package's own `exports`.
    bundle: false,
  },
]);

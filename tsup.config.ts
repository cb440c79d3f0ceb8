import { defineConfig, type Options } from "tsup";
import { embeddedFiles } from "./embedded-files.js";

/** Builds the library in both module formats. Each entry is a subpath of `exports` in package.json. */
export const library: Options = {
  name: "library",
  entry: {
    index: "src/index.ts",
    bullmq: "src/backends/bullmq/index.ts",
    client: "src/client/index.ts",
    console: "src/console/index.ts",
    express: "src/adapters/express/index.ts",
    fetch: "src/adapters/fetch/index.ts",
    nats: "src/backends/nats/index.ts",
    node: "src/adapters/node/index.ts",
    openapi: "src/openapi/index.ts",
    opentelemetry: "src/opentelemetry/index.ts",
    operator: "src/operator/index.ts",
    ports: "src/ports.ts",
    postgres: "src/backends/postgres/index.ts",
    "postgres-sql": "src/backends/postgres/print-sql.ts",
    rabbitmq: "src/backends/rabbitmq/index.ts",
    sqlite: "src/backends/sqlite/index.ts",
    testing: "src/testing/index.ts",
    webhooks: "src/webhooks/index.ts",
    xml: "src/formats/xml/index.ts",
    yaml: "src/formats/yaml/index.ts",
    yang: "src/formats/yang/index.ts",
  },
  tsconfig: "src/tsconfig.json",
  format: ["esm", "cjs"],
  platform: "neutral",
  target: ["node20", "es2022"],
  external: [/^node:/],
  removeNodeProtocol: false,
  loader: { ".sql": "text" },
  esbuildPlugins: [embeddedFiles],
  // All subpaths of a module format share one copy of the core. The two formats have separate copies.
  splitting: true,
};

export default defineConfig({
  ...library,
  dts: { compilerOptions: { ignoreDeprecations: "6.0" } },
  clean: true,
});

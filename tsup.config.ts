import { rmSync, writeFileSync } from "node:fs";
import { build, defineConfig, type Options } from "tsup";
import { writeCommonJsTypes } from "./commonjs-types.js";
import { embeddedFiles } from "./embedded-files.js";

/** Builds the library as ES modules. Each entry is a subpath of `exports` in package.json, or a program. */
export const library: Options = {
  name: "library",
  entry: {
    index: "src/index.ts",
    bullmq: "src/brokers/bullmq/index.ts",
    client: "src/client/index.ts",
    console: "src/console/index.ts",
    express: "src/adapters/express/index.ts",
    fetch: "src/adapters/fetch/index.ts",
    lambda: "src/adapters/lambda/index.ts",
    nats: "src/brokers/nats/index.ts",
    node: "src/adapters/node/index.ts",
    openapi: "src/openapi/index.ts",
    opentelemetry: "src/opentelemetry/index.ts",
    operator: "src/operator/index.ts",
    ports: "src/ports.ts",
    postgres: "src/backends/postgres/index.ts",
    "postgres-sql": "src/backends/postgres/print-sql.ts",
    rabbitmq: "src/brokers/rabbitmq/index.ts",
    sqlite: "src/backends/sqlite/index.ts",
    testing: "src/testing/index.ts",
    webhooks: "src/webhooks/index.ts",
    xml: "src/formats/xml/index.ts",
    yaml: "src/formats/yaml/index.ts",
    yang: "src/formats/yang/index.ts",
  },
  tsconfig: "src/tsconfig.json",
  format: "esm",
  platform: "neutral",
  target: ["node20", "es2022"],
  external: [/^node:/],
  removeNodeProtocol: false,
  loader: { ".sql": "text" },
  esbuildPlugins: [embeddedFiles],
  // All subpaths share one copy of the core.
  splitting: true,
  plugins: [{ name: "without-comments", renderChunk: (code) => ({ code: withoutComments(code) }) }],
  onSuccess: async () => {
    const loaded = modules.filter((name) => name !== "client");
    for (const name of loaded) writeFileSync(`dist/${name}.cjs`, toLoader(name));
  },
};

/** Names of the subpaths. The remaining entry is a program. */
const modules = Object.keys(library.entry ?? {}).filter((name) => name !== "postgres-sql");

/** Removes the paths of sources and the comments of members, which the bundler leaves in. The declarations have them. */
function withoutComments(code: string): string {
  return code.replaceAll(/^(\/\/ src\/.*| +\/\*\* .* \*\/)\n/gm, "");
}

/** Lets CommonJS load an ES module, as uuid needs anyway. A second build would double the size of the package. */
function toLoader(name: string): string {
  return `module.exports = require("./${name}.js");\n`;
}

/** Builds the client as CommonJS too: test runners for browser code may be unable to `require` an ES module. */
export const commonJsClient: Options = {
  ...library,
  name: "CommonJS client",
  entry: { client: "src/client/index.ts" },
  format: "cjs",
  splitting: false,
  onSuccess: async () => {},
};

const declarations: Options = {
  ...library,
  name: "declarations",
  dts: { only: true, compilerOptions: { ignoreDeprecations: "6.0" } },
};

export default defineConfig(async () => {
  rmSync("dist", { recursive: true, force: true });
  // Built here because tsup has no hook for the end of a build of declarations only.
  await build({ ...declarations, config: false });
  writeCommonJsTypes("dist", modules);
  return [library, commonJsClient];
});

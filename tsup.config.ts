import { rmSync, writeFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { build, defineConfig, type Options } from "tsup";
import { writeCommonJsTypes } from "./commonjs-types.js";
import { embeddedFiles, sqlFiles } from "./embedded-files.js";
import { toCommonJs } from "./to-commonjs.js";

/** Builds the library as ES modules. Each entry is a subpath of `exports` in package.json, or a program. */
export const library = {
  name: "library",
  entry: {
    index: "src/index.ts",
    cli: "src/cli/main.ts",
    bullmq: "src/brokers/bullmq/index.ts",
    client: "src/client/index.ts",
    console: "src/console/index.ts",
    "durable-objects": "src/durable-objects/index.ts",
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
    "postgres-sql": "src/cli/postgres-sql.ts",
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
  esbuildPlugins: [embeddedFiles, sqlFiles],
  // All subpaths share one copy of the core.
  splitting: true,
  plugins: [
    {
      name: "small",
      renderChunk: (code, { path }) => ({ code: isTesting(path) ? compact(code) : withoutComments(code) }),
    },
  ],
} satisfies Options;

/** The remaining entries are programs. */
const { cli: _cli, "postgres-sql": _postgresSql, ...subpaths } = library.entry;

const isTesting = (path: string): boolean => path.endsWith("/testing.js");

/** Removes the paths of sources and the comments of members, which the bundler leaves in. The declarations have them. */
function withoutComments(code: string): string {
  return code.replaceAll(/^(\/\/ (embedded:)?src\/.*| +\/\*\* .* \*\/)\n/gm, "");
}

/** Removes what only readers need, but keeps names, and lines short, so that stack traces stay readable. */
function compact(code: string): string {
  const options = { charset: "utf8", minifyWhitespace: true, minifySyntax: true, lineLimit: 120 } as const;
  return transformSync(code, { ...options, target: "es2022" }).code;
}

const { testing: _testing, ...commonJsEntry } = subpaths;

/**
 * Builds the library as CommonJS, for programs that cannot `require` an ES module. Only `./testing` has no such build,
 * because it would be a third of the size.
 */
export const commonJs: Options = {
  ...library,
  name: "CommonJS",
  entry: commonJsEntry,
  outExtension: () => ({ js: ".cjs" }),
  // Only has ES modules.
  noExternal: ["uuid"],
  plugins: [{ name: "commonjs", renderChunk: (code) => ({ code: toCommonJs(compact(code)) }) }],
  onSuccess: async () => writeFileSync("dist/testing.cjs", 'module.exports = require("./testing.js");\n'),
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
  writeCommonJsTypes("dist", Object.keys(subpaths));
  return [library, commonJs];
});

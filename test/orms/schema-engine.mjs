#!/usr/bin/env node
// Schema engine of Prisma: its WebAssembly build, with the protocol of the binary, which Prisma would download.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engineModule from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

/** Prisma asks the binary whether the database can be reached. */
if (process.argv.includes("can-connect-to-database")) process.exit(0);

const { values } = parseArgs({
  options: { datamodels: { type: "string", multiple: true }, datasource: { type: "string" } },
  strict: false,
});
const { url } = JSON.parse(values.datasource);
const { hostname, port, username, password, pathname } = new URL(url);
const factory = new PrismaPg({
  host: hostname,
  port: Number(port),
  user: username,
  password,
  database: pathname.slice(1),
  // An idle connection would keep the shadow database from being dropped.
  maxUses: 1,
});

/** The adapter splits a script at each semicolon, and refuses the type "char". The binary does neither. */
function mended(connection) {
  connection.executeScript = async (script) => {
    await connection.underlyingDriver().query(script);
  };
  const perform = connection.performIO.bind(connection);
  connection.performIO = async (query) => {
    const result = await perform(query);
    for (const field of result.fields) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT;
    return result;
  };
  return connection;
}

const { CHAR, TEXT } = pg.types.builtins;
const require = createRequire(import.meta.url);
const wasm = readFileSync(
  require.resolve("@prisma/schema-engine-wasm").replace("engine.js", "engine_bg.wasm"),
);
const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": engineModule });
engineModule.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

const adapter = bindMigrationAwareSqlAdapterFactory({
  provider: factory.provider,
  adapterName: factory.adapterName,
  connect: async () => mended(await factory.connect()),
  connectToShadowDb: async () => mended(await factory.connectToShadowDb()),
});
const datamodels = values.datamodels?.map((file) => [file, readFileSync(file, "utf8")]);
const engine = await engineModule.SchemaEngine.new({ datamodels }, () => {}, adapter);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // The answer to `print`.
  if (method === undefined) continue;
  try {
    const result = await engine[method](params);
    if (typeof result?.stdout === "string")
      send({ id: `print ${id}`, method: "print", params: { content: result.stdout } });
    send({ id, result: result ?? null });
  } catch (error) {
    const data = { is_panic: false, message: error.message, error_code: error.code };
    send({ id, error: { code: 4466, message: error.message, data } });
  }
}
process.exit(0);

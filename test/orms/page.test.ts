import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../support/built.js";
import { describePostgres } from "../support/postgres/server.js";
import { createDatabase } from "./database.js";
import { toJavaScript } from "./generate-client.js";
import { programs } from "./programs.js";

const run = promisify(execFile);

const pasted = join(import.meta.dirname, "pasted");

it("has an example for each of six libraries", () => {
  expect(programs).toHaveLength(6);
});

it("has examples that compile, like the type tests of this folder", async () => {
  mkdirSync(pasted, { recursive: true });
  for (const { name, text } of programs) writeFileSync(join(pasted, `${name}.ts`), text);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    const failed = (error: { readonly stdout: string }) => error;
    const { stdout } = await run(process.execPath, [tsc, "-p", import.meta.dirname]).catch(failed);
    expect(stdout).toBe("");
  } finally {
    rmSync(pasted, { recursive: true });
  }
});

/** Submits an order in a transaction, and works on it in another one. */
const DRIVER = `
const { backend, service, worker, pay } = await import(process.argv[2]);
await backend.migrate();
const submitted = await pay("cart-1", "book");
await worker.start();
for (;;) {
  const { body } = await service.handle({
    method: "GET",
    path: "/operations/" + submitted.operationId,
    headers: { authorization: "Bearer demo-token" },
  });
  const { status, result, error } = JSON.parse(body);
  if (status !== "pending") {
    console.log(JSON.stringify({ operationId: submitted.operationId, status, result, error }));
    process.exit(0);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
`;

const TABLES = `
create table carts (id text primary key, paid boolean not null);
create table shipments (operation_id uuid primary key, item text not null);
insert into carts values ('cart-1', false);
`;

await describePostgres("examples of libraries", (server) => {
  const folder = mkdtempSync(join(tmpdir(), "orms-"));
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    linkPackages(folder);
    database = await createDatabase(server.pool);
  });
  afterAll(async () => {
    await database?.remove();
    rmSync(folder, { recursive: true });
  });

  it.each(programs)("$name works when pasted", async ({ name, text }) => {
    const { pool, url } = database;
    await pool.query(
      "drop table if exists carts, shipments; drop schema if exists async_request_reply cascade",
    );
    await pool.query(TABLES);
    writeFileSync(join(folder, "src", `${name}.mjs`), toJavaScript(text));
    writeFileSync(join(folder, "src/driver.mjs"), DRIVER);
    const { stdout } = await run(process.execPath, ["driver.mjs", `./${name}.mjs`], {
      cwd: join(folder, "src"),
      env: { ...process.env, DATABASE_URL: url.href },
    });
    const { operationId, ...ended } = JSON.parse(stdout);
    expect(ended).toEqual({ status: "completed", result: { shipped: "book" } });
    const { rows } = await pool.query("select operation_id, item, paid from shipments, carts");
    expect(rows).toEqual([{ operation_id: operationId, item: "book", paid: true }]);
  });
});

/** Installs the built package, the libraries of this folder and the client of Prisma by links. */
function linkPackages(folder: string): void {
  mkdirSync(join(folder, "src"));
  symlinkSync(join(import.meta.dirname, "generated"), join(folder, "generated"));
  const target = join(folder, "node_modules");
  mkdirSync(target);
  const installed = join(import.meta.dirname, "node_modules");
  for (const name of readdirSync(installed)) symlinkSync(join(installed, name), join(target, name));
  symlinkSync(root, join(target, "async-request-reply"));
}

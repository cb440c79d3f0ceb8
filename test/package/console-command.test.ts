import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrderService, createWorker, defineOrders } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import Database from "libsql";
import { afterAll, expect, it } from "vitest";
import { root } from "../support/built.js";
import { logIn, startConsole } from "../support/console-command.js";

const folder = mkdtempSync(join(tmpdir(), "console-command-"));
afterAll(() => rmSync(folder, { recursive: true }));
const cli = join(root, "dist/cli.js");
const { DATABASE_URL: _, ...env } = process.env;

/** Creates a file with an order. Returns its path and the id of the order. */
async function createFile(name: string): Promise<{ readonly file: string; readonly id: string }> {
  const file = join(folder, name);
  const database = new Database(file);
  const service = createOrderService({ backend: createSqliteBackend({ database }), observe: false });
  const [orders] = service.definitions;
  const { operationId: id } = await service.submit(
    orders,
    { itemId: "pen", quantity: 2 },
    { tenant: "acme" },
  );
  await service.close();
  database.close();
  return { file, id };
}

it("serves the console of a file, read only, to who has the address", async () => {
  const { file, id } = await createFile("read-only.db");
  const { url, stop } = await startConsole(file);
  expect((await fetch(new URL("/console/api/overview", url))).status).toBe(401);
  expect((await fetch(new URL("/?token=wrong", url))).status).toBe(403);
  const { get, post } = await logIn(url);
  expect((await fetch(url, { redirect: "manual" })).status).toBe(403);
  expect(await (await get("api/overview")).json()).toMatchObject({
    operates: false,
    definitions: ["orders"],
  });
  expect(await (await get(`api/operations/${id}`)).json()).toMatchObject({ operation: { tenant: "acme" } });
  expect((await get(`api/operations/${id}/payload`)).status).toBe(403);
  expect((await post(`api/operations/${id}/cancel`)).status).toBe(403);
  expect(await stop()).toBe(0);
});

it("changes operations with --operate", async () => {
  const { file, id } = await createFile("operate.db");
  const { url } = await startConsole(`sqlite:${file}`, "--operate");
  const { get, post } = await logIn(url);
  expect(await (await get(`api/operations/${id}/payload`)).json()).toMatchObject({
    input: { itemId: "pen" },
  });
  expect(await (await post(`api/operations/${id}/cancel`)).json()).toMatchObject({ outcome: "cancelled" });
});

it("answers under names of this machine only", async () => {
  const { file } = await createFile("names.db");
  const { url } = await startConsole(file);
  const { port, search } = url;
  const sent = request({
    host: "127.0.0.1",
    port,
    path: `/${search}`,
    headers: { host: `attacker.example:${port}` },
  });
  const [reply] = await once(sent.end(), "response");
  expect(reply.statusCode).toBe(421);
  reply.resume();
  await logIn(url);
});

it("shows the definitions with these names", async () => {
  const { file } = await createFile("named.db");
  const { url } = await startConsole(file, "--definition", "orders", "--definition", "reports");
  const { get } = await logIn(url);
  expect(await (await get("api/overview")).json()).toMatchObject({ definitions: ["orders", "reports"] });
});

it("shows definitions without operations that have a worker", async () => {
  const file = join(folder, "idle.db");
  const database = new Database(file);
  const source = {
    definitions: [defineOrders()],
    backend: createSqliteBackend({ database }),
    observe: false as const,
  };
  const worker = createWorker(source, { orders: () => {} });
  await worker.start();
  await worker.stop();
  await source.backend.close();
  database.close();
  const { url } = await startConsole(file);
  const { get } = await logIn(url);
  expect(await (await get("api/overview")).json()).toMatchObject({ definitions: ["orders"] });
});

const empty = join(folder, "other.db");
writeFileSync(empty, "");

it.each<[readonly string[], string]>([
  [["console"], "There is no address of a database. Pass one, or set DATABASE_URL. Usage: "],
  [["console", "a.db", "b.db"], "There are two addresses."],
  [["console", join(folder, "missing.db")], "There is no file "],
  [["console", empty], "has no operations of this version of async-request-reply"],
  [["console", "a.db", "--port", "http"], 'Option `port` must be a port from 0 to 65535, not "http".'],
  [["console", "a.db", "--operates"], "Unknown option '--operates'. Usage: async-request-reply console"],
  [["consol"], 'Unknown command "consol". Did you mean `console`?'],
])("refuses %j with a sentence", (args, sentence) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: "utf8", env });
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect([status, stdout]).toEqual([1, ""]);
  expect(readFileSync(empty, "utf8")).toBe("");
});

it.each([[["--help"]], [["-h"]], [[]]])("explains itself: %j", (args) => {
  const { status, stdout } = spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringContaining("Usage: async-request-reply COMMAND")]);
});

it("never prints the password of a server that it cannot reach", () => {
  const address = "postgres://ann:secret-word@127.0.0.1:1/shop";
  const { status, stderr } = spawnSync(process.execPath, [cli, "console", address], {
    encoding: "utf8",
    env,
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^STORE_UNAVAILABLE: /);
  expect(stderr).not.toContain("secret-word");
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Stats } from "webpack";
import { peerOf } from "../package/peers.js";
import { type Consumer, installPacked, manifest, run } from "../support/built.js";
import { describeWithTool, runTool } from "./installed.js";

const specifiers = Object.keys(manifest.exports)
  .filter((subpath) => subpath !== "./testing")
  .map((subpath) => subpath.replace(".", manifest.name));

/** Runs a service in memory, with a file of a project that has no settings at all. */
const FILES: Readonly<Record<string, string>> = {
  "orders.js": `
    const { allowAnonymous, createMemoryBackend, createOrderService, createWorker } = require("${manifest.name}");
    const { toFetchHandler } = require("${manifest.name}/fetch");
    exports.run = async () => {
      const service = createOrderService({ authorize: allowAnonymous(), backend: createMemoryBackend() });
      const worker = createWorker(service, { orders: ({ quantity }) => ({ shipped: quantity }) });
      const fetch = toFetchHandler(service);
      const headers = { "content-type": "application/json", "idempotency-key": "a" };
      const body = '{ "itemId": "book", "quantity": 2 }';
      const accepted = await fetch(new Request("http://localhost/orders", { method: "POST", headers, body }));
      await worker.runUntilIdle();
      const status = new URL(accepted.headers.get("location"), "http://localhost");
      return (await fetch(new Request(status))).json();
    };`,
  "program.js": `require("./orders.js").run().then((operation) => console.log(JSON.stringify(operation)));`,
  "orders.test.js": `
    const { run } = require("./orders.js");
    test("an order is shipped", async () => expect((await run()).result).toEqual({ shipped: 2 }));
    test.each(${JSON.stringify(specifiers)})("%s", (specifier) => {
      expect(Object.keys(require(specifier))).not.toEqual([]);
    });`,
};

describe("a CommonJS project with the packed package", () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = installPacked(...new Set(Object.values(peerOf)));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(consumer.folder, name), text);
  });
  afterAll(() => consumer?.remove());

  /** Runs a program and returns the operation that it prints. */
  function operationOf(file: string): unknown {
    return JSON.parse(run(process.execPath, [file], consumer.folder));
  }

  it("runs from a bundle of esbuild", async () => {
    const outfile = join(consumer.folder, "esbuild.cjs");
    const entryPoints = [join(consumer.folder, "program.js")];
    await build({ entryPoints, outfile, bundle: true, platform: "node", format: "cjs", logLevel: "silent" });
    expect(operationOf(outfile)).toMatchObject({ result: { shipped: 2 } });
  });

  describeWithTool("jest", "in Jest without settings", () => {
    it("runs a service in memory, and loads every subpath except ./testing", async () => {
      const { stderr, succeeded } = await runTool("jest", ["--ci"], consumer.folder);
      expect(succeeded, stderr).toBe(true);
      expect(stderr).toContain(`${specifiers.length + 1} passed`);
    });
  });

  describeWithTool("webpack", "in a bundle of webpack", () => {
    it("runs a service in memory", async () => {
      const { default: webpack } = await import("webpack");
      const options = { mode: "production", target: "node", optimization: { minimize: false } } as const;
      const output = { path: consumer.folder, filename: "webpack.cjs" };
      const settings = { ...options, context: consumer.folder, entry: "./program.js", output };
      const stats = await new Promise<Stats | undefined>((resolve, reject) => {
        webpack(settings, (error, built) => (error === null ? resolve(built) : reject(error)));
      });
      expect(stats?.toJson({ all: false, errors: true, warnings: true })).toMatchObject({
        errors: [],
        warnings: [],
      });
      expect(operationOf(join(consumer.folder, "webpack.cjs"))).toMatchObject({ result: { shipped: 2 } });
    });
  });
});

import { describe, expect, it } from "vitest";
import { bundle } from "./built.js";

describe("a bundle for a runtime without node: modules", () => {
  it.each([
    ".",
    "./bullmq",
    "./fetch",
    "./nats",
    "./openapi",
    "./operator",
    "./rabbitmq",
    "./sqlite",
    "./testing",
    "./yaml",
  ])("of %s imports nothing", async (subpath) => {
    expect((await bundle(subpath)).imports).toEqual([]);
  });

  it.each(["./xml", "./yang"])("of %s imports only the parser", async (subpath) => {
    expect((await bundle(subpath, ["saxes"])).imports).toEqual(["saxes"]);
  });

  // A guard against growth. A service without a worker bundles a fifth less.
  it("has at most 42 KB of the package's own code, minified and compressed", async () => {
    const own = await bundle(".", ["zod", "zod/*", "uuid"]);
    const whole = await bundle(".");
    console.log(`bundle of ".": ${own.gzipBytes} bytes of own code, ${whole.gzipBytes} with zod and uuid`);
    expect(own.gzipBytes).toBeLessThanOrEqual(42 * 1024);
  });
});

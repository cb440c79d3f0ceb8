import { describe, expect, it } from "vitest";
import { bundle } from "../support/built.js";

describe("a bundle for a runtime without node: modules", () => {
  it.each([
    ".",
    "./bullmq",
    "./client",
    "./console",
    "./durable-objects",
    "./fetch",
    "./nats",
    "./openapi",
    "./opentelemetry",
    "./operator",
    "./postgres",
    "./rabbitmq",
    "./sqlite",
    "./testing",
    "./webhooks",
    "./yaml",
  ])("of %s imports nothing", async (subpath) => {
    expect((await bundle(subpath)).imports).toEqual([]);
  });

  it.each(["./xml", "./yang"])("of %s imports only the parser", async (subpath) => {
    expect((await bundle(subpath, ["saxes"])).imports).toEqual(["saxes"]);
  });

  it("has at most 5 KB for a client without event streams, minified and compressed", async () => {
    const { gzipBytes } = await bundle("./client", [], "{ createClient, isAsyncReplyError }");
    const whole = await bundle("./client");
    console.log(`bundle of "./client": ${gzipBytes} bytes, ${whole.gzipBytes} with event streams`);
    expect(gzipBytes).toBeLessThanOrEqual(5 * 1024);
  });
});

import { describe, expect, it } from "vitest";
import { bundle } from "./built.js";

describe("a bundle for a runtime without node: modules", () => {
  it.each([".", "./fetch", "./openapi", "./operator", "./testing", "./yaml"])(
    "imports nothing that is left of %s",
    async (subpath) => {
      expect((await bundle(subpath)).imports).toEqual([]);
    },
  );

  it.each(["./xml", "./yang"])("imports nothing but the parser that is left of %s", async (subpath) => {
    expect((await bundle(subpath, ["saxes"])).imports).toEqual(["saxes"]);
  });

  // A guard against growth. What a service without a worker takes in is a fifth less.
  it("keeps our own part of . within 39 KB, minified and compressed", async () => {
    const own = await bundle(".", ["zod", "zod/*", "uuid"]);
    const whole = await bundle(".");
    console.log(`bundle of ".": ${own.gzipBytes} bytes of our own, ${whole.gzipBytes} with zod and uuid`);
    expect(own.gzipBytes).toBeLessThanOrEqual(39 * 1024);
  });
});

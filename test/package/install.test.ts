import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, installPacked, manifest } from "./built.js";
import { peerOf } from "./peers.js";

describe("the packed package in another project", () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = installPacked();
  }, 120_000);
  afterAll(() => consumer?.remove());

  const specifiers = Object.keys(manifest.exports)
    .filter((subpath) => !(subpath in peerOf))
    .map((subpath) => subpath.replace(".", manifest.name));

  it("installs only zod and uuid with it", () => {
    expect(consumer.packages).toEqual([manifest.name, "uuid", "zod"]);
  });

  it.each(specifiers)("imports %s", (specifier) => {
    const script = `import * as m from "${specifier}"; console.log(JSON.stringify(Object.keys(m).length > 0));`;
    expect(consumer.evaluate("module", script)).toBe(true);
  });

  it.each(specifiers)("requires %s", (specifier) => {
    const script = `console.log(JSON.stringify(Object.keys(require("${specifier}")).length > 0));`;
    expect(consumer.evaluate("commonjs", script)).toBe(true);
  });

  it("recognizes an error of the other module format's copy", () => {
    const script = `
      import { createRequire } from "node:module";
      import * as esm from "${manifest.name}";
      const cjs = createRequire(process.cwd() + "/")("${manifest.name}");
      const fromCjs = new cjs.AsyncReplyError("INTERNAL", "CommonJS");
      const fromEsm = new esm.AsyncReplyError("INTERNAL", "ESM");
      console.log(JSON.stringify({
        copies: esm.AsyncReplyError !== cjs.AsyncReplyError,
        esm: esm.isAsyncReplyError(fromCjs),
        cjs: cjs.isAsyncReplyError(fromEsm),
        others: esm.isAsyncReplyError(new Error()),
      }));`;
    expect(consumer.evaluate("module", script)).toEqual({
      copies: true,
      esm: true,
      cjs: true,
      others: false,
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Consumer, installPacked, manifest, run } from "../support/built.js";
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

  it("requires every subpath except ./testing if Node cannot require an ES module", () => {
    const required = specifiers.filter((specifier) => !specifier.endsWith("/testing"));
    const script = `${JSON.stringify(required)}.forEach((specifier) => require(specifier));`;
    const args = ["--no-experimental-require-module", "--eval", script];
    expect(() => run(process.execPath, args, consumer.folder)).not.toThrow();
  });

  it("says that ./testing is an ES module, if Node cannot require one", () => {
    const args = ["--no-experimental-require-module", "--eval", `require("${manifest.name}/testing")`];
    expect(() => run(process.execPath, args, consumer.folder)).toThrow("ERR_REQUIRE_ESM");
  });

  it("loads one copy of the code for all subpaths in CommonJS", () => {
    const script = `
      const { AsyncReplyError } = require("${manifest.name}");
      console.log(JSON.stringify(AsyncReplyError === require("${manifest.name}/client").AsyncReplyError));`;
    expect(consumer.evaluate("commonjs", script)).toBe(true);
  });

  it("recognizes an error of the other module format", () => {
    const script = `
      import { createRequire } from "node:module";
      import * as own from "${manifest.name}";
      const other = createRequire(process.cwd() + "/")("${manifest.name}");
      console.log(JSON.stringify({
        copies: own.AsyncReplyError !== other.AsyncReplyError,
        own: own.isAsyncReplyError(new other.AsyncReplyError("INTERNAL", "other")),
        other: other.isAsyncReplyError(new own.AsyncReplyError("INTERNAL", "own")),
        others: own.isAsyncReplyError(new Error()),
      }));`;
    expect(consumer.evaluate("module", script)).toEqual({
      copies: true,
      own: true,
      other: true,
      others: false,
    });
  });
});

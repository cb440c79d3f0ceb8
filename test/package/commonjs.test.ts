import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeCommonJsTypes } from "../../commonjs-types.js";
import { toCommonJs } from "../../to-commonjs.js";

const folder = mkdtempSync(join(tmpdir(), "types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the types of CommonJS for the types of an ES module. */
function commonJsTypesOf(types: string): string {
  writeFileSync(join(folder, "sample.d.ts"), types);
  writeCommonJsTypes(folder, ["sample"]);
  return readFileSync(join(folder, "sample.d.cts"), "utf8");
}

describe("the types of a CommonJS loader", () => {
  it("refer to the types of the ES module and declare its values", () => {
    const types = `
      /** Options. */
      interface Options { readonly limit: number }
      /** Default: 5. */
      declare const limit: number;
      declare const hidden: number;
      export { type Options, limit as defaultLimit };`;
    expect(commonJsTypesOf(types)).toMatchInlineSnapshot(`
      "import type * as esm from "./sample.js" with { "resolution-mode": "import" };
      export type * from "./sample.js" with { "resolution-mode": "import" };
      /** Default: 5. */
      export declare const defaultLimit: typeof esm.defaultLimit;
      "
    `);
  });

  it("declare a class as a value and as a type", () => {
    const types = `
      declare class Box<Value extends object = object> { readonly value: Value }
      declare class Plain {}
      export { Box, Plain };`;
    expect(commonJsTypesOf(types)).toMatchInlineSnapshot(`
      "import type * as esm from "./sample.js" with { "resolution-mode": "import" };
      export type * from "./sample.js" with { "resolution-mode": "import" };
      export declare const Box: typeof esm.Box;
      export type Box<Value extends object = object> = esm.Box<Value>;
      export declare const Plain: typeof esm.Plain;
      export type Plain = esm.Plain;
      "
    `);
  });

  it("have the docs of all overloads", () => {
    const types = `
/** Reads a text. */
export declare function read(text: string): string;
/**
 * Reads a number.
 *
 * Throws \`RangeError\`.
 */
export declare function read(number: number): number;`;
    expect(commonJsTypesOf(types)).toMatchInlineSnapshot(`
      "import type * as esm from "./sample.js" with { "resolution-mode": "import" };
      export type * from "./sample.js" with { "resolution-mode": "import" };
      /** Reads a text.
       *
       * Reads a number.
       *
       * Throws \`RangeError\`. */
      export declare const read: typeof esm.read;
      "
    `);
  });

  it("cannot be written without the types of the ES module", () => {
    expect(() => writeCommonJsTypes(folder, ["other"])).toThrow("other.d.ts is missing");
  });
});

describe("a CommonJS module", () => {
  it("requires what the ES module imports, and exports the same", () => {
    const code = `import { a, b as c } from "./chunk.js";
import * as z from "zod";
import "./unused.js";
const text = \`
import { no } from "text";
export { no };\`;
export {
  a,
  text as d
};
`;
    expect(toCommonJs(code)).toMatchInlineSnapshot(`
      ""use strict";const {a,b:c}=require("./chunk.js");
      const z=require("zod");

      const text = \`
      import { no } from "text";
      export { no };\`;
      module.exports={a,d:text};
      "
    `);
  });

  it.each([
    ['import z from "zod";', 'the default import of "zod"'],
    ['export * from "zod";', "`export *`"],
    ['export * as z from "zod";', "`export *`"],
  ])("is not made from %s", (code, part) => {
    expect(() => toCommonJs(code)).toThrow(`Cannot turn ${part} into CommonJS.`);
  });
});

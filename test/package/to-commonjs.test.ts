import { describe, expect, it } from "vitest";
import { toCommonJs } from "../../to-commonjs.js";

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

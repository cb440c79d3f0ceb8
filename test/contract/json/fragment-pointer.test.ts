import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFragmentPointer, toFragmentPointer } from "../../../src/contract/json/fragment-pointer.js";
import { codePoint } from "../../support/code-point.js";

describe("a JSON pointer", () => {
  it.each([
    [[], "#"],
    [["foo"], "#/foo"],
    [["foo", "0"], "#/foo/0"],
    [[""], "#/"],
    [["a/b"], "#/a~1b"],
    [["c%d"], "#/c%25d"],
    [["e^f"], "#/e%5Ef"],
    [["g|h"], "#/g%7Ch"],
    [["i\\j"], "#/i%5Cj"],
    [['k"l'], "#/k%22l"],
    [[" "], "#/%20"],
    [["m~n"], "#/m~0n"],
  ])("matches the examples of RFC 6901 §6: %j becomes %s", (path, pointer) => {
    expect(toFragmentPointer(path)).toBe(pointer);
  });

  it.each([
    [["items", 0, "quantity"], "#/items/0/quantity"],
    [["~1"], "#/~01"],
    [["é"], "#/%C3%A9"],
    [["a#b"], "#/a%23b"],
    [["\u0000\r\n"], "#/%00%0D%0A"],
    [["-._~!$&'()*+,;=:@?"], "#/-._~0!$&'()*+,;=:@?"],
    [["\ud800"], "#/%EF%BF%BD"],
    [[Symbol("s")], "#/Symbol(s)"],
    [["__proto__"], "#/__proto__"],
  ])("is encoded for use in a URI: %j becomes %s", (path, pointer) => {
    expect(toFragmentPointer(path)).toBe(pointer);
  });

  it("leads back to its path and contains only fragment characters (RFC 3986 §3.5)", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: codePoint })), (path) => {
        const pointer = toFragmentPointer(path);
        expect(pointer).toMatch(/^#(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*$/);
        expect(parseFragmentPointer(pointer)).toEqual(path);
      }),
    );
  });

  it.each(["", "items", "/items", "#items", "https://example.org/#/items", "#/%", "#/%ff"])(
    "is not what %j is",
    (text) => {
      expect(parseFragmentPointer(text)).toBeUndefined();
    },
  );
});

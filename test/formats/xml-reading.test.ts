import { isAsyncReplyError } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { readXml, type XmlEvents } from "../../src/formats/xml/read-document.js";

/** Reads a document. Counts the events, and returns the detail if it is rejected. */
function read(text: string, maxDepth = 32) {
  const told = { opened: 0, closed: 0, pieces: 0, characters: 0, detail: undefined as string | undefined };
  const events: XmlEvents = {
    open: () => void told.opened++,
    close: () => void told.closed++,
    instruction: () => void told.pieces++,
    text: (piece) => {
      told.pieces++;
      told.characters += piece.length;
    },
  };
  try {
    readXml(text, { maxDepth }, events);
  } catch (error) {
    if (!isAsyncReplyError(error)) throw error;
    told.detail = error.detail;
  }
  return told;
}

const TOO_DEEP = "The body is nested more than 32 levels deep.";
const TOO_MANY = "An element has more than 32 attributes.";
const nested = (depth: number, content = ""): string => "<a>".repeat(depth) + content + "</a>".repeat(depth);
const attributes = (count: number): string => Array.from({ length: count }, (_, i) => `a${i}="1"`).join(" ");

describe("depth", () => {
  it("is counted like objects and arrays in JSON", () => {
    expect(read(nested(33))).toMatchObject({ opened: 33, closed: 33, detail: undefined });
    expect(read(nested(34)).detail).toBe(TOO_DEEP);
    expect(read("<a/>", 0).detail).toBeUndefined();
    expect(read("<a><b/></a>", 0).detail).toContain("0 levels");
  });

  it.each([100, 33_000, 330_000])(
    "is rejected as soon as it exceeds the limit: %i open elements",
    (count) => {
      // The rest is malformed, but is not read.
      const told = read(`${"<a>".repeat(count)}<<<`);
      expect(told).toMatchObject({ opened: 33, closed: 0, detail: TOO_DEEP });
    },
  );

  it("does not count siblings", () => {
    const told = read(`<a>${"<b/>".repeat(10_000)}${"<b></b>".repeat(10_000)}</a>`);
    expect(told).toMatchObject({ opened: 20_001, closed: 20_001, detail: undefined });
  });
});

describe("attributes", () => {
  it("are limited to 32 per element, not in total", () => {
    const told = read(`<a ${attributes(32)}><b ${attributes(32)}/></a>`);
    expect(told).toMatchObject({ opened: 2, detail: undefined });
    expect(read(`<a ${attributes(33)}/>`).detail).toBe(TOO_MANY);
  });

  it.each([100, 30_000])("are rejected as soon as they exceed the limit: %i of them", (count) => {
    expect(read(`<a ${attributes(count)} <<<`)).toMatchObject({ opened: 0, detail: TOO_MANY });
  });
});

describe("text", () => {
  it.each([
    ["a run", "b".repeat(100_000), 100_000],
    ["entity references", "&amp;".repeat(100_000), 100_000],
    ["character references", "&#x62;".repeat(100_000), 100_000],
    ["lines", "b\r\n".repeat(100_000), 200_000],
    ["CDATA", "<![CDATA[b]]>".repeat(100_000), 100_000],
    ["comments", "b<!-- c -->".repeat(100_000), 100_000],
  ])("comes once, in at most as many pieces as it is interrupted: %s", (_, content, characters) => {
    const told = read(`<a>${content}</a>`);
    expect(told).toMatchObject({ opened: 1, closed: 1, characters, detail: undefined });
    expect(told.pieces).toBeLessThanOrEqual(100_000);
  });

  it("is not reported outside of elements", () => {
    expect(read(" \n<a/>\n ").characters).toBe(0);
  });
});

describe("a rejected document", () => {
  it.each([
    ["<a>", "The body is not well-formed XML (line 1, column 3)."],
    ["<a>\n</b>", "The body is not well-formed XML (line 2, column 4)."],
    ["", "The body is not well-formed XML (line 1, column 0)."],
    ['{"a":1}', "The body is not well-formed XML (line 1, column 7)."],
    ["<!DOCTYPE a><a/>", "The body has a document type declaration."],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "The body has a document type declaration."],
    ['<?xml version="1.1"?><a/>', "The body is not XML 1.0."],
    ['<?xml version="1.0" encoding="UTF-16"?><a/>', "The body declares an encoding other than UTF-8."],
  ])("gets a detail without text from the parser: %j", (text, detail) => {
    expect(read(text).detail).toBe(detail);
  });

  it.each(["utf-8", "UTF-8", "Utf-8"])("is not one that declares the encoding %s", (encoding) => {
    expect(read(`<?xml version="1.0" encoding="${encoding}" standalone="yes"?><a/>`).detail).toBeUndefined();
  });
});

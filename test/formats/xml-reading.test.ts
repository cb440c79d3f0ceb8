import { isAsyncReplyError } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { readXml, type XmlEvents } from "../../src/formats/xml/read-events.js";

interface Told {
  readonly opened: number;
  readonly closed: number;
  readonly pieces: number;
  readonly characters: number;
  readonly detail: string | undefined;
}

/** How much the reader told of a document, and with which sentence it refused it, if it did. */
function read(text: string, maxDepth = 32): Told {
  const told = { opened: 0, closed: 0, pieces: 0, characters: 0 };
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
    return { ...told, detail: undefined };
  } catch (error) {
    if (!isAsyncReplyError(error)) throw error;
    return { ...told, detail: error.detail };
  }
}

const nested = (depth: number, content = ""): string => "<a>".repeat(depth) + content + "</a>".repeat(depth);
const attributes = (count: number): string => Array.from({ length: count }, (_, i) => `a${i}="1"`).join(" ");

describe("depth", () => {
  it("is that of containers in JSON: an element may stand in as many others as the bound says", () => {
    expect(read(nested(33))).toMatchObject({ opened: 33, closed: 33, detail: undefined });
    expect(read(nested(34)).detail).toBe("The body is nested more than 32 levels deep.");
    expect(read("<a/>", 0).detail).toBeUndefined();
    expect(read("<a><b/></a>", 0).detail).toContain("0 levels");
  });

  it.each([100, 33_000, 330_000])("is refused where it is met: %i open elements", (count) => {
    // What stands behind is not looked at: it is not well formed, and nobody says so.
    const told = read(`${"<a>".repeat(count)}<<<`);
    expect(told).toMatchObject({
      opened: 33,
      closed: 0,
      detail: "The body is nested more than 32 levels deep.",
    });
  });

  it("counts no siblings", () => {
    const told = read(`<a>${"<b/>".repeat(10_000)}${"<b></b>".repeat(10_000)}</a>`);
    expect(told).toMatchObject({ opened: 20_001, closed: 20_001, detail: undefined });
  });
});

describe("attributes", () => {
  it("are at most 32 at one element, and any number at many", () => {
    expect(read(`<a ${attributes(32)}><b ${attributes(32)}/></a>`)).toMatchObject({
      opened: 2,
      detail: undefined,
    });
    expect(read(`<a ${attributes(33)}/>`).detail).toBe("An element has more than 32 attributes.");
  });

  it.each([100, 30_000])("are refused where they are met: %i of them", (count) => {
    expect(read(`<a ${attributes(count)} <<<`)).toMatchObject({
      opened: 0,
      detail: "An element has more than 32 attributes.",
    });
  });
});

describe("text", () => {
  it.each([
    ["a run", "b".repeat(100_000), 100_000],
    ["references", "&amp;".repeat(100_000), 100_000],
    ["references to characters", "&#x62;".repeat(100_000), 100_000],
    ["lines", "b\r\n".repeat(100_000), 200_000],
    ["CDATA", "<![CDATA[b]]>".repeat(100_000), 100_000],
    ["comments", "b<!-- c -->".repeat(100_000), 100_000],
  ])("comes once, in at most as many pieces as it is interrupted: %s", (_, content, characters) => {
    const told = read(`<a>${content}</a>`);
    expect(told).toMatchObject({ opened: 1, closed: 1, characters, detail: undefined });
    expect(told.pieces).toBeLessThanOrEqual(100_000);
  });

  it("is told of no element where there is none", () => {
    expect(read(" \n<a/>\n ").characters).toBe(0);
  });
});

describe("a document that is refused", () => {
  it.each([
    ["<a>", "The body is not well-formed XML (line 1, column 3)."],
    ["<a>\n</b>", "The body is not well-formed XML (line 2, column 4)."],
    ["", "The body is not well-formed XML (line 1, column 0)."],
    ['{"a":1}', "The body is not well-formed XML (line 1, column 7)."],
    ["<!DOCTYPE a><a/>", "The body has a document type declaration."],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "The body has a document type declaration."],
    ['<?xml version="1.1"?><a/>', "The body is not XML 1.0."],
    ['<?xml version="1.0" encoding="UTF-16"?><a/>', "The body declares an encoding other than UTF-8."],
  ])("says why, without a word of the parser: %j", (text, detail) => {
    expect(read(text).detail).toBe(detail);
  });

  it.each(["utf-8", "UTF-8", "Utf-8"])("may not be one that declares the encoding %s", (encoding) => {
    expect(read(`<?xml version="1.0" encoding="${encoding}" standalone="yes"?><a/>`).detail).toBeUndefined();
  });
});

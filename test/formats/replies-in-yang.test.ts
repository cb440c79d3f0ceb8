import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineOrders } from "async-request-reply";
import { orderYangFormats } from "async-request-reply/yang";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { rowsOf } from "../support/tables.js";
import { validOrder } from "./generated-orders.js";
import { describeProgram, runProgram } from "./programs.js";
import { written } from "./sample-replies.js";

const [yangJson, yangXml] = orderYangFormats;
const { jsonSchema: schema = {} } = defineOrders();
const modules = [
  join(import.meta.dirname, "../../docs/yang/order-submission.yang"),
  join(import.meta.dirname, "yang/ietf-restconf.yang"),
];

describe("a problem in YANG data", () => {
  const textOf = (format: (typeof orderYangFormats)[number], code: string): string =>
    written(format).find(({ name }) => name.endsWith(code))?.text ?? "";

  const errorsOf = (problem: object): readonly Readonly<Record<string, unknown>>[] => {
    const text = yangJson.serialize(problem, { kind: "problem", name: "order" });
    return JSON.parse(text)["ietf-restconf:errors"].error;
  };

  it.each([
    "https://example.com/problems/not-found",
    "urn:problem:not-found",
    "https://example.com/?p=not-found",
  ])("is named by the end of its type: %s", (type) => {
    const [error] = errorsOf({ type, title: "a", status: 404 });
    expect(error?.["error-app-tag"]).toBe("not-found");
  });

  it("has an error for every violation, with the path in the form of its encoding (RFC 8040 §7.1)", () => {
    const { error: errors } = JSON.parse(textOf(yangJson, "CONTRACT_VIOLATION"))["ietf-restconf:errors"];
    expect(errors[1]).toEqual({
      "error-type": "application",
      "error-tag": "invalid-value",
      "error-app-tag": "contract-violation",
      "error-path": "/order-submission:order/quantity",
      "error-message": "quantity must be greater than 0",
    });
    const root = { "error-path": "/order-submission:order" };
    expect(errors[2]).toMatchObject({ ...root, "error-message": "col/our < is not a known member" });
    expect(errors[3]).toMatchObject({ "error-message": "must be an object" });
    expect(errors[4]).toMatchObject({ ...root, "error-message": "colour is not a known member" });
    expect(textOf(yangXml, "CONTRACT_VIOLATION")).toContain(
      '<error-path xmlns:m="https://www.npmjs.com/package/async-request-reply#order-submission">' +
        "/m:order/m:quantity</error-path><error-message>quantity must be greater than 0</error-message>",
    );
  });

  it("points into lists by position, because a JSON Schema has no keys for their entries", () => {
    const items = { type: "array", items: { type: "object", properties: { sku: {} } } };
    const pointing = { errors: [{ pointer: "#/items/1/sku", detail: "is required" }] };
    const context = { kind: "problem", name: "order", schema: { properties: { items } } } as const;
    expect(yangJson.serialize(pointing, context)).toContain(
      '"error-path":"/order-submission:order/items[2]/sku"',
    );
    expect(yangXml.serialize(pointing, context)).toContain(">/m:order/m:items[2]/m:sku</error-path>");
  });

  it("points to the enclosing node if a name is not valid in YANG", () => {
    const pointing = { errors: [{ pointer: "#/notes/a%20b", detail: "is required" }] };
    const notes = { type: "object", additionalProperties: {} };
    const context = { kind: "problem", name: "order", schema: { properties: { notes } } } as const;
    expect(yangJson.serialize(pointing, context)).toContain('"error-path":"/order-submission:order/notes"');
  });

  it.each(rowsOf("docs/formats.md", "Problems in YANG data"))(
    "of status %s has the type %s and the tag %s",
    (statuses, type, tag) => {
      for (const status of (statuses ?? "").split(", ").map(Number))
        expect(errorsOf({ status })).toMatchObject([{ "error-type": type, "error-tag": tag }]);
    },
  );
});

/** RFC 7950 §9.4 excludes noncharacters such as U+1FFFE from strings. XML allows most of them. */
function isYangString({ itemId }: { readonly itemId: string }): boolean {
  return !/\p{Noncharacter_Code_Point}/u.test(itemId);
}

describeProgram("yanglint", "libyang2-tools", () => {
  /** Validates each document separately against the modules. */
  function validate(extension: string, texts: readonly string[], ...options: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), "yang-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = texts.map((text, index) => {
      const file = join(folder, `${index}.${extension}`);
      writeFileSync(file, text);
      return file;
    });
    return runProgram("yanglint", ["--present", ...options, ...modules, ...files]);
  }

  it("finds the modules valid", () => {
    expect(runProgram("yanglint", modules)).toEqual({ status: 0, output: "" });
  });

  it("rejects data that violates the module", () => {
    for (const quantity of ["1", '"0"']) {
      const text = `{"order-submission:order":{"itemId":"book","quantity":${quantity}}}`;
      expect(validate("json", [text]).status).not.toBe(0);
    }
    expect(validate("xml", ["<order><itemId>book</itemId></order>"]).output).toContain("err");
  });

  const encodings = [
    ["json", yangJson],
    ["xml", yangXml],
  ] as const;

  it.each(encodings)("finds every reply in %s valid", (extension, format) => {
    for (const { name, text } of written(format)) {
      expect(validate(extension, [text]), `${name}: ${text}`).toEqual({ status: 0, output: "" });
    }
  });

  it.each(encodings)("accepts the orders written in %s and reads the same values", (extension, format) => {
    const orders = fc.sample(validOrder.filter(isYangString), 200);
    const texts = orders.map((order) => format.serialize(order, { kind: "resource", name: "order", schema }));
    const read = validate(extension, texts, "--format=json");
    expect(read.status).toBe(0);
    const expected = orders.map(({ itemId, quantity }) => ({
      "order-submission:order": { itemId, quantity: String(quantity) },
    }));
    expect(JSON.parse(`[${read.output.replaceAll("}\n{", "},{")}]`)).toEqual(expected);
  });
});

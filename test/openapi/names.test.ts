import { allowAnonymous, createService, defineOperation } from "async-request-reply";
import { createOpenApiDocument, type OpenApiDocument } from "async-request-reply/openapi";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { effort } from "../support/effort.js";
import { info } from "../support/openapi-services.js";
import { readDocument } from "./document-reader.js";

const numRuns = effort(10, 50, 300);

const Tree = z.object({
  get branches() {
    return z.array(Tree);
  },
});

/**
 * Creates a definition for each name. Each needs five schemas: its input, a part of the input, its result, and its
 * pending and completed operations.
 */
function documentOf(names: readonly string[]): OpenApiDocument {
  const definitions = names.map((name, index) =>
    defineOperation({ name, path: `/${index}`, input: z.object({ left: Tree, right: Tree }), result: Tree }),
  );
  return createOpenApiDocument(createService({ definitions, authorize: allowAnonymous() }), { info });
}

const countSchemas = (document: OpenApiDocument): number => Object.keys(document.components.schemas).length;
const common = countSchemas(documentOf(["any", "other"])) - 5 * 2;

const alike = ["a-b", "a.b", "ab", "a-b2", "ab2", "a"];
const taken = ["a-input", "a-result", "a-pending", "completed", "constructor", "operation"];

/** Names, many of which are the same to a generator. */
const names = fc.uniqueArray(
  fc.oneof(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,5}$/), fc.constantFrom(...alike, ...taken)),
  { minLength: 2, maxLength: 12 },
);

describe("names in a document", () => {
  it("come from the definitions", () => {
    const { paths, components } = documentOf(["order-items"]);
    expect(paths["/0"]?.post?.operationId).toBe("submitOrderItems");
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(["OrderItemsInput", "OrderItemsInput_Schema0", "OrderItemsResult"]),
    );
  });

  it("are numbered if definitions differ only in punctuation", () => {
    const { paths } = documentOf(["a-b", "a.b", "ab"]);
    const ids = Object.values(paths).map(({ post }) => post?.operationId);
    expect(ids).toEqual(["submitAB", "submitAB2", "submitAb3", undefined]);
  });

  it("are never shared for any names of definitions, even if case is ignored, and match the references", () => {
    fc.assert(
      fc.property(names, (chosen) => {
        const document = documentOf(chosen);
        const { operations, resolve } = readDocument(document);
        const ids = operations().map(({ operationId }) => operationId.toLowerCase());
        expect(new Set(ids).size).toBe(chosen.length + 1);
        const schemas = Object.keys(document.components.schemas);
        expect(new Set(schemas.map((name) => name.toLowerCase())).size).toBe(common + 5 * chosen.length);
        expect(schemas.filter((name) => !/^[A-Za-z0-9._-]+$/.test(name))).toEqual([]);
        const references = JSON.stringify(document).match(/"#\/components[^"]*"/g) ?? [];
        const missing = references.filter(($ref) => resolve({ $ref: JSON.parse($ref) }) === undefined);
        expect(references.length).toBeGreaterThan(0);
        expect(missing).toEqual([]);
      }),
      { numRuns },
    );
  });
});

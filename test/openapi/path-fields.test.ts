import { allowAnonymous, createService, defineOperation, type JsonSchema } from "async-request-reply";
import { createOpenApiDocument, type OpenApiDocument } from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { besidesJson } from "../support/all-formats.js";
import { anything } from "../support/careless-schema.js";
import { info } from "../support/openapi-services.js";
import { readDocument } from "./document-reader.js";

const PATH = "/api/accounts/{accountId}/years/{year}";

function documentOf(
  jsonSchema?: JsonSchema,
  input: Parameters<typeof defineOperation>[0]["input"] = anything,
): OpenApiDocument {
  const given = jsonSchema === undefined ? {} : { jsonSchema };
  const path = "/accounts/{accountId}/years/{year}";
  const definition = defineOperation({ name: "exports", path, input, ...given });
  const service = createService({
    definitions: [definition],
    basePath: "/api",
    statusPath: "/status",
    authorize: allowAnonymous(),
    formats: definition.jsonSchema === undefined ? [] : besidesJson,
  });
  return createOpenApiDocument(service, { info });
}

const members = {
  accountId: { type: "string", minLength: 1 },
  year: { type: "integer" },
  format: { type: "string" },
} as const;
const flat: JsonSchema = {
  type: "object",
  properties: members,
  required: ["accountId", "year", "format"],
  additionalProperties: false,
};

/** Returns the parameters of the path and the schema of the JSON body. */
function described(document: OpenApiDocument) {
  const post = document.paths[PATH]?.post;
  const parameters = (post?.parameters ?? []).filter((parameter) => parameter.in === "path");
  const { schema = {} } = post?.requestBody?.content["application/json"] ?? {};
  return {
    parameters: parameters.map(({ name, required, schema: of }) => [name, required, of]),
    body: readDocument(document).resolve(schema),
  };
}

describe("a document of a path with fields", () => {
  it("has a parameter for each field, with the schema of its member, which a body may leave out or repeat", () => {
    const document = documentOf(flat);
    const { parameters, body } = described(document);
    expect(parameters).toEqual([
      ["accountId", true, members.accountId],
      ["year", true, members.year],
    ]);
    expect(body).toEqual({ ...flat, required: ["format"] });
    const { isValid } = readDocument(document);
    expect(isValid(body, { format: "csv" })).toBe(true);
    expect(isValid(body, { format: "csv", accountId: "a", year: 2026 })).toBe(true);
    expect(isValid(body, { format: "csv", year: "2026" })).toBe(false);
    expect(isValid(body, { format: "csv", month: 1 })).toBe(false);
  });

  it("says in words that the values of a body and its path must be equal", () => {
    const { description } = documentOf(flat).paths[PATH]?.post?.requestBody ?? {};
    expect(description).toContain(
      "The path contains `accountId` and `year`. The body may omit them. If it contains them, their values must be equal.",
    );
  });

  it("describes the body the same way in every media type that uses the schema", () => {
    const content = documentOf(flat).paths[PATH]?.post?.requestBody?.content ?? {};
    expect(Object.keys(content)).toHaveLength(9);
    const described = Object.values(content).filter(({ schema }) => "$ref" in schema);
    const references = new Set(described.map(({ schema }) => schema.$ref));
    expect([...references]).toEqual(["#/components/schemas/ExportsInput"]);
    expect(JSON.stringify(content)).not.toContain("accountId");
  });

  it("finds members behind references and in parts, and keeps deeper members of the same name", () => {
    const Account = {
      type: "object",
      properties: { accountId: { $ref: "#/$defs/Id" }, parent: { $ref: "#/$defs/Account" } },
      required: ["accountId"],
    };
    const document = documentOf({
      allOf: [{ $ref: "#/$defs/Account" }, { properties: { year: members.year }, required: ["year"] }],
      $defs: { Account, Id: members.accountId },
    });
    const { parameters, body } = described(document);
    const accountId = { $ref: "#/components/schemas/ExportsAccountId" };
    expect(parameters).toEqual([
      ["accountId", true, accountId],
      ["year", true, members.year],
    ]);
    const { isValid } = readDocument(document);
    expect(["", "a"].map((text) => isValid(accountId, text))).toEqual([false, true]);
    expect(isValid(body, {})).toBe(true);
    expect(isValid(body, { accountId: "" })).toBe(false);
    expect(isValid(body, { parent: { accountId: "a" } })).toBe(true);
    expect(isValid(body, { parent: {} })).toBe(false);
  });

  it("describes a field as a string if there is no schema", () => {
    const text = { type: "string" };
    expect(described(documentOf()).parameters).toEqual([
      ["accountId", true, text],
      ["year", true, text],
    ]);
  });

  it("describes the schema of a validator", () => {
    const input = z.strictObject({ accountId: z.string(), year: z.int(), format: z.string().optional() });
    const { parameters, body } = described(documentOf(undefined, input));
    expect(parameters[0]).toEqual(["accountId", true, { type: "string" }]);
    expect(Object.keys(body.properties ?? {})).toEqual(["accountId", "year", "format"]);
    expect(body.required).toBeUndefined();
  });

  it("has the status endpoint at the status path", () => {
    expect(Object.keys(documentOf(flat).paths)).toEqual([PATH, "/api/status/{operationId}"]);
  });
});

import { allowAnonymous, createOrderService } from "async-request-reply";
import { createOpenApiDocument } from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import { allFormats, besidesJson } from "../support/all-formats.js";

const create = () => ({ body: {} });
const service = createOrderService({ authorize: allowAnonymous(), formats: besidesJson, create });
const { paths } = createOpenApiDocument(service, { info: { title: "Orders", version: "1" } });
const submission = paths["/orders"]?.post;
const canonical = Object.keys(allFormats);

describe("the document of a service with more formats than JSON", () => {
  it("accepts every media type, including aliases", () => {
    const types = Object.values(allFormats).flatMap(({ mediaTypes }) => mediaTypes);
    expect(Object.keys(submission?.requestBody?.content ?? {})).toEqual(types);
  });

  it.each([201, 202])("offers every format in a %d", (status) => {
    expect(Object.keys(submission?.responses[status]?.content ?? {})).toEqual(canonical);
  });

  it("offers problems in their own media types, depending on Accept", () => {
    const refusal = submission?.responses[422];
    expect(Object.keys(refusal?.content ?? {})).toEqual([
      "application/problem+json",
      "application/problem+xml",
      "application/yang-data+json",
      "application/yang-data+xml",
    ]);
    expect(refusal?.headers).toHaveProperty("Vary");
  });

  it("names the root elements of XML, and claims no schema for YANG data", () => {
    const schemas = Object.fromEntries(
      Object.entries(submission?.requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema]),
    );
    const { "application/json": asJson, "application/xml": asXml } = schemas;
    expect(asXml).toEqual({ ...asJson, xml: { name: "order" } });
    expect(submission?.responses[202]?.content?.["application/xml"]?.schema).toMatchObject({
      xml: { name: "operation" },
    });
    const described = (rfc: string) => ({ description: expect.stringContaining(rfc) });
    expect(schemas["application/yang-data+json"]).toEqual(described("RFC 7951"));
    expect(schemas["application/yang-data+xml"]).toEqual(described("RFC 7950"));
  });
});

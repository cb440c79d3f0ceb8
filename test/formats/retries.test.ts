import { createHash } from "node:crypto";
import { composeStores, createMemoryBackend, createMemoryStores, type JsonSchema } from "async-request-reply";
import { beforeEach, describe, expect, it } from "vitest";
import { allFormats } from "../support/all-formats.js";
import { replacing } from "../support/replacing.js";
import { createRetryStage, writeValue } from "../support/retry-stage.js";

function schemaOf(m: JsonSchema): JsonSchema {
  return { type: "object", properties: { m } };
}

const JSON_TYPE = "application/json";
const XML = "application/xml";
const YANG_JSON = "application/yang-data+json";
const YANG_XML = "application/yang-data+xml";
const NIL = ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"';

/** Sends requests to services that share a new back end. */
let send: ReturnType<typeof createRetryStage>;
beforeEach(() => {
  send = createRetryStage(createMemoryBackend());
});

const inMember = (m: string): string => `<order><m>${m}</m></order>`;
const integer = schemaOf({ type: "integer" });
const integerOrText = schemaOf({ type: ["integer", "string"] });

describe("a retry after a deploy that widened the schema", () => {
  it.each(Object.keys(allFormats))("is a replay if the same bytes are sent again as %s", async (type) => {
    const body = writeValue(type, integer, { m: 2 });
    expect(await send({ type, schema: integer, body })).toBe("accepted");
    expect(await send({ type, schema: integerOrText, body })).toBe("replayed");
    const other = writeValue(type, integer, { m: 3 });
    expect(await send({ type, schema: integerOrText, body: other })).toBe("idempotency-key-reused");
  });

  it("is a replay of a resource that was created before the reply", async () => {
    const create = createRetryStage(createMemoryBackend(), { create: (body) => ({ body }) });
    const attempt = { type: XML, schema: integer, body: inMember("2") };
    expect(await create(attempt)).toBe("accepted");
    expect(await create({ ...attempt, schema: integerOrText })).toBe("replayed");
    const inJson = { type: JSON_TYPE, schema: integerOrText };
    expect(await create({ ...inJson, body: '{"m":2}' })).toBe("replayed");
    expect(await create({ ...inJson, body: '{"m":3}' })).toBe("idempotency-key-reused");
  });
});

describe("two payloads in one format", () => {
  it.each([
    ["nil and empty text", XML, `<order><m${NIL}/></order>`, "<order><m/></order>"],
    ["two spellings of a number, as text", XML, inMember("2"), inMember("2.0")],
    ["texts with other white space", XML, inMember("a"), inMember("a ")],
    ["an empty and an absent member", XML, "<order><m/></order>", "<order/>"],
    ["items in another order", XML, "<order><m>1</m><m>2</m></order>", "<order><m>2</m><m>1</m></order>"],
    ["one and two levels", XML, inMember("1"), "<order><m><m>1</m></m></order>"],
    ["null and an empty object", YANG_JSON, '{"m":[null]}', '{"m":{}}'],
    ["null and empty text", YANG_JSON, '{"m":[null]}', '{"m":""}'],
    ["a number and its text", JSON_TYPE, '{"m":2}', '{"m":"2"}'],
    ["null and an absent member", JSON_TYPE, '{"m":null}', "{}"],
  ])("differ, although other formats cannot tell them apart: %s", async (_, type, first, second) => {
    const schema = schemaOf({ type: ["array", "null", "object", "string"] });
    const inRoot = (text: string): string =>
      type === YANG_JSON ? `{"order-submission:order":${text}}` : text;
    expect(await send({ type, schema, body: inRoot(first) })).toBe("accepted");
    expect(await send({ type, schema, body: inRoot(second) })).toBe("idempotency-key-reused");
    expect(await send({ type, schema, body: inRoot(first) })).toBe("replayed");
  });

  it.each([
    ["the order of members", "<order><a>1</a><m>2</m></order>", "<order><m>2</m><a>1</a></order>"],
    ["comments and CDATA", inMember("2"), "<order><!-- two --><m><![CDATA[2]]></m></order>"],
    ["white space between elements", inMember("2"), "<order>\n  <m>2</m>\n</order>"],
    ["escapes in names", inMember("2"), "<order><_x006D_>2</_x006D_></order>"],
    ["the spelling of a number, with a schema", inMember("2"), inMember("2.0")],
  ])("are the same in XML, regardless of %s", async (_, first, second) => {
    expect(await send({ type: XML, schema: integer, body: first })).toBe("accepted");
    expect(await send({ type: XML, schema: integer, body: second })).toBe("replayed");
  });
});

describe("a payload in XML after one in JSON, with a schema that has changed since", () => {
  /** The body of an order in YANG data. */
  function yang(content: string): string {
    const xmlns = "https://www.npmjs.com/package/async-request-reply#order-submission";
    return `<order xmlns="${xmlns}">${content}</order>`;
  }

  it.each([
    ["null is an element without content", '{"m":null}', YANG_XML, yang("<m/>")],
    ["an empty object is an element without content", '{"m":{}}', XML, "<order><m/></order>"],
    ["an array of one item is that item", '{"m":["a"]}', XML, inMember("a")],
    ["an array without items is absent", '{"m":[]}', XML, "<order/>"],
    ["a number has many spellings", '{"m":2}', YANG_XML, yang("<m>+2.0</m>")],
    ["zero has no sign", '{"m":0}', YANG_XML, yang("<m>-0.0</m>")],
  ])("is a replay: %s", async (_, first, type, second) => {
    expect(await send({ type: JSON_TYPE, schema: schemaOf({}), body: first })).toBe("accepted");
    expect(await send({ type, schema: schemaOf({ type: "string" }), body: second })).toBe("replayed");
  });

  it.each([
    ["the sign of a number", '{"m":2}', "-2"],
    ["the last of many digits", '{"m":"12345678901234567890"}', "12345678901234567891"],
    ["a text", '{"m":"a"}', "b"],
    ["one item", '{"m":["a","b"]}', "a"],
  ])("is another, where it differs in %s", async (_, first, second) => {
    expect(await send({ type: JSON_TYPE, schema: schemaOf({}), body: first })).toBe("accepted");
    const differing = { type: XML, schema: schemaOf({ type: "string" }), body: inMember(second) };
    expect(await send(differing)).toBe("idempotency-key-reused");
  });
});

describe("a half-recorded submission in two separate stores", () => {
  it("is finished by a request in its own format, and a request in another one waits until then", async () => {
    const stores = createMemoryStores();
    const backend = composeStores(stores);
    const interrupted = composeStores({
      ...stores,
      idempotency: replacing(stores.idempotency, {
        bind: async (binding) => {
          await stores.idempotency.bind(binding);
          throw new Error("The process died");
        },
      }),
    });
    const xml = { type: XML, schema: integer, body: inMember("2") };
    const json = { type: JSON_TYPE, schema: integer, body: '{"m":2}' };
    expect(await createRetryStage(interrupted)(xml)).toBe("internal");

    const later = createRetryStage(backend);
    expect(await later(json)).toBe("submission-in-progress");
    expect(await later({ ...xml, body: inMember("3") })).toBe("idempotency-key-reused");
    expect(await backend.operations.list({ internal: true, limit: 10 })).toEqual([]);

    expect(await later(xml)).toBe("replayed");
    expect(await later(json)).toBe("replayed");
    expect(await backend.operations.list({ internal: true, limit: 10 })).toHaveLength(1);
  });
});

describe("the stored fingerprint", () => {
  it.each([
    [JSON_TYPE, '{ "m": 2.0 }', "1", '{"m":2}'],
    ["application/x-yaml", "m: 0x2", "1", '{"m":2}'],
    ["text/xml", inMember("2"), `1;${XML}`, '{"m":"2"}'],
    [YANG_JSON, '{"order-submission:order":{"m":"2"}}', `1;${YANG_JSON}`, '{"m":"2"}'],
  ])("is the same in every version, for %s %s", async (type, body, form, text) => {
    const backend = createMemoryBackend();
    expect(await createRetryStage(backend)({ type, schema: integer, body })).toBe("accepted");
    const key = { tenant: "anonymous", definition: "orders", key: "k" };
    const digest = createHash("sha256").update(text).digest("base64url");
    expect(await backend.submissions.findKey(key)).toMatchObject({ fingerprint: `${form}:${digest}` });
  });
});

describe("an operation that an earlier version recorded from XML", () => {
  it("is replayed, although its fingerprint is that of the value", async () => {
    // Bodies in all formats used to have the fingerprint of a body in JSON.
    expect(await send({ type: JSON_TYPE, schema: integer, body: '{"m":2}' })).toBe("accepted");
    expect(await send({ type: XML, schema: integerOrText, body: inMember("2") })).toBe("replayed");
  });
});

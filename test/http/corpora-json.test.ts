import { problemType } from "async-request-reply/ports";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeCorpus } from "../support/corpora.js";
import { isNumberKept } from "../support/exact-number.js";
import type { RawReply } from "../support/raw-connection.js";
import { type OrderServer, startOrderServer } from "./order-server.js";

const MALFORMED = problemType("malformed-body");
const VIOLATION = problemType("contract-violation");

let server: OrderServer;
beforeAll(async () => {
  server = await startOrderServer();
});
afterAll(() => server.close());

function problemTypeOf({ body, headers }: RawReply): string {
  expect(headers).toContainEqual(["content-type", "application/problem+json"]);
  return (JSON.parse(body) as { type: string }).type;
}

async function expectRefused(reply: RawReply, status: number, type: string): Promise<void> {
  expect([reply.status, problemTypeOf(reply)]).toEqual([status, type]);
  expect(await server.recorded()).toEqual([]);
}

/** Expects 400 for malformed JSON or 422 for JSON that is not an order. */
async function expectEitherRefusal(reply: RawReply): Promise<void> {
  if (reply.status === 400) await expectRefused(reply, 400, MALFORMED);
  else await expectRefused(reply, 422, VIOLATION);
}

describeCorpus("json-parsing", (cases) => {
  it.each(cases)("judges $name as a body: $verdict", async ({ verdict, base64 }) => {
    const body = Buffer.from(base64 ?? "", "base64");
    const reply = await server.post(body);
    // No case of this corpus is an order.
    if (verdict === "accept") await expectRefused(reply, 422, VIOLATION);
    else if (verdict === "either") await expectEitherRefusal(reply);
    else await expectRefused(reply, 400, MALFORMED);
  });
});

/** Returns the source text inside the one array or object that each case of this corpus consists of. */
const elementOf = (text: string): string => text.trim().slice(1, -1);

describeCorpus("json-transform", (cases) => {
  it.each(cases)("judges $name as a body: $verdict", async ({ verdict, base64 }) => {
    const reply = await server.post(Buffer.from(base64 ?? "", "base64"));
    if (verdict === "reject-duplicate") await expectRefused(reply, 400, MALFORMED);
    else await expectEitherRefusal(reply);
  });

  const numbers = cases.filter(({ name }) => name.startsWith("number_"));
  it.each(numbers)("refuses $name as a quantity or keeps it exactly", async ({ base64 }) => {
    const lexeme = elementOf(Buffer.from(base64 ?? "", "base64").toString());
    const reply = await server.post(`{"itemId":"book","quantity":${lexeme}}`);
    if (reply.status !== 202) return expectEitherRefusal(reply);
    expect(isNumberKept(lexeme)).toBe(true);
    expect(await server.processedFor(reply)).toEqual({ itemId: "book", quantity: Number(lexeme) });
  });

  const strings = cases.filter(({ name }) => name.startsWith("string_"));
  it.each(strings)("refuses $name as an itemId", async ({ base64 }) => {
    const bytes = Buffer.from(base64 ?? "", "base64");
    const literal = bytes.subarray(1, bytes.lastIndexOf("]"));
    const body = Buffer.concat([Buffer.from('{"itemId":'), literal, Buffer.from(',"quantity":1}')]);
    await expectEitherRefusal(await server.post(body));
  });

  const objects = cases.filter(({ name }) => name.startsWith("object_key_"));
  it.each(objects)("distinguishes the members of $name", async ({ base64 }) => {
    const members = elementOf(Buffer.from(base64 ?? "", "base64").toString());
    const reply = await server.post(`{"itemId":"book","quantity":1,${members}}`);
    await expectRefused(reply, 422, VIOLATION);
    expect(JSON.parse(reply.body).errors).toHaveLength(2);
  });
});

describe("bodies nested deeper than any case of the corpus", () => {
  it.each([
    ["100,000 opening brackets", "[".repeat(100_000)],
    ["50,000 objects in arrays", '[{"":'.repeat(50_000)],
    ["100,000 nested arrays that are closed", "[".repeat(100_000) + "]".repeat(100_000)],
  ])("are malformed: %s", async (_, body) => {
    await expectRefused(await server.post(body), 400, MALFORMED);
  });
});

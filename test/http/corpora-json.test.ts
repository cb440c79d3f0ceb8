import { describe, expect, it } from "vitest";
import { describeCorpus } from "../support/corpora.js";
import { isNumberKept } from "../support/exact-number.js";
import { useOrderServer } from "./order-server.js";

const server = useOrderServer();

const bytesOf = ({ base64 = "" }: { readonly base64?: string }): Buffer => Buffer.from(base64, "base64");

// No case of the corpora is an order.
describeCorpus("json-parsing", (cases) => {
  it.each(cases)("judges $name as a body: $verdict", async (each) => {
    await server.expectJudged(await server.post(bytesOf(each)), each.verdict);
  });
});

/** Returns the source text inside the one array or object that each case of this corpus consists of. */
const elementOf = (text: string): string => text.trim().slice(1, -1);

describeCorpus("json-transform", (cases) => {
  it.each(cases)("judges $name as a body: $verdict", async (each) => {
    const reply = await server.post(bytesOf(each));
    await server.expectJudged(reply, each.verdict === "reject-duplicate" ? "reject" : "either");
  });

  const numbers = cases.filter(({ name }) => name.startsWith("number_"));
  it.each(numbers)("refuses $name as a quantity or keeps it exactly", async (each) => {
    const lexeme = elementOf(bytesOf(each).toString());
    const reply = await server.post(`{"itemId":"book","quantity":${lexeme}}`);
    if (reply.status !== 202) return server.expectJudged(reply, "either");
    expect(isNumberKept(lexeme)).toBe(true);
    expect(await server.processedFor(reply)).toEqual({ itemId: "book", quantity: Number(lexeme) });
  });

  const strings = cases.filter(({ name }) => name.startsWith("string_"));
  it.each(strings)("refuses $name as an itemId", async (each) => {
    const bytes = bytesOf(each);
    const literal = bytes.subarray(1, bytes.lastIndexOf("]"));
    const body = Buffer.concat([Buffer.from('{"itemId":'), literal, Buffer.from(',"quantity":1}')]);
    await server.expectJudged(await server.post(body), "either");
  });

  const objects = cases.filter(({ name }) => name.startsWith("object_key_"));
  it.each(objects)("distinguishes the members of $name", async (each) => {
    const members = elementOf(bytesOf(each).toString());
    const reply = await server.post(`{"itemId":"book","quantity":1,${members}}`);
    await server.expectRefused(reply, 422, "contract-violation");
    expect(JSON.parse(reply.body).errors).toHaveLength(2);
  });
});

describe("bodies nested deeper than any case of the corpus", () => {
  it.each([
    ["100,000 opening brackets", "[".repeat(100_000)],
    ["50,000 objects in arrays", '[{"":'.repeat(50_000)],
    ["100,000 nested arrays that are closed", "[".repeat(100_000) + "]".repeat(100_000)],
  ])("are malformed: %s", async (_, body) => {
    await server.expectRefused(await server.post(body), 400, "malformed-body");
  });
});

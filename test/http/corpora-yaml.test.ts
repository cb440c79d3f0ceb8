import { problemType } from "async-request-reply/ports";
import { yamlFormat } from "async-request-reply/yaml";
import { describe, expect, it } from "vitest";
import { describeCorpus } from "../support/corpora.js";
import { useOrderServer } from "./order-server.js";

const server = useOrderServer([yamlFormat], "application/yaml");
const { post, expectRefused } = server;

describeCorpus("yaml", (cases) => {
  // No case of this corpus is an order.
  it.each(cases)("judges $name as a body: $verdict", async ({ verdict, base64 = "" }) => {
    await server.expectJudged(await post(Buffer.from(base64, "base64")), verdict);
  });
});

describe("orders in YAML", () => {
  it.each([
    ["itemId: book\nquantity: 2\n", "book", 2],
    ["{itemId: 'NO', quantity: 010}", "NO", 10],
    ["itemId: |-\n  two\n  lines\nquantity: 0x1F\n", "two\nlines", 31],
    ['{"itemId":"😀","quantity":1e2}', "😀", 100],
  ])("are parsed by the YAML 1.2 core schema: %j", async (body, itemId, quantity) => {
    const reply = await post(body);
    expect(reply.status).toBe(202);
    expect(await server.processedFor(reply)).toEqual({ itemId, quantity });
  });

  it("get a YAML reply if the client accepts it, and problems in JSON", async () => {
    const accepted = await post("{itemId: book, quantity: 1}", [["accept", "application/yaml"]]);
    expect(accepted.headers).toContainEqual(["content-type", "application/yaml"]);
    expect(accepted.body).toMatch(/^operationId: [0-9a-f-]{36}\nstatus: pending\n$/);
    const refused = await post("{itemId: book, quantity: 0}", [["accept", "application/yaml"]]);
    expect(refused.headers).toContainEqual(["content-type", "application/problem+json"]);
    expect(JSON.parse(refused.body).type).toBe(problemType("contract-violation"));
  });

  it("are the same request as the JSON order with the same key", async () => {
    const key = ["idempotency-key", "both"] as const;
    const first = await post("quantity: 0x2\nitemId: book", [["content-type", "text/yaml"], key]);
    const again = await server.postAgain('{"itemId":"book","quantity":2}', [
      ["content-type", "application/json"],
      key,
    ]);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(JSON.parse(again.body)).toEqual(JSON.parse(first.body));
    expect(again.headers).toContainEqual(["idempotent-replayed", "true"]);
  });

  it.each(["1_000", "1:30", "yes", "0b1", "1.5", "-1", "~", "'1'"])(
    "violate the contract with a quantity of %s",
    async (quantity) => {
      await expectRefused(await post(`{itemId: book, quantity: ${quantity}}`), 422, "contract-violation");
    },
  );

  it.each([".inf", ".nan", "9007199254740993", "1e400"])(
    "are malformed with a quantity of %s",
    async (quantity) => {
      await expectRefused(await post(`{itemId: book, quantity: ${quantity}}`), 400, "malformed-body");
    },
  );
});

describe("YAML bodies larger than any case of the corpus", () => {
  it.each([
    ["40,000 bytes of nested names", "? ".repeat(20_000)],
    ["100,000 opening brackets", "[".repeat(100_000)],
    ["100,000 arrays on one line", "- ".repeat(100_000)],
    ["a billion strings by aliases", `a0: &a0 ha\n${aliases()}`],
  ])("are malformed: %s", async (_, body) => {
    await expectRefused(await post(body), 400, "malformed-body");
  });

  it("violate the contract if they only have many names", async () => {
    const names = Array.from({ length: 8000 }, (_, n) => `k${n}: ${n}`).join("\n");
    await expectRefused(await post(names), 422, "contract-violation");
  });
});

function aliases(): string {
  return Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`).join("\n");
}

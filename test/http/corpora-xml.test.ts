import { problemType } from "async-request-reply/ports";
import { xmlFormat } from "async-request-reply/xml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeCorpus } from "../support/corpora.js";
import type { RawReply } from "../support/raw-connection.js";
import { type OrderServer, startOrderServer } from "./order-server.js";

const MALFORMED = problemType("malformed-body");
const VIOLATION = problemType("contract-violation");

let server: OrderServer;
beforeAll(async () => {
  server = await startOrderServer([xmlFormat]);
});
afterAll(() => server.close());

function post(body: Uint8Array | string): Promise<RawReply> {
  return server.post(body, [["content-type", "application/xml"]]);
}

async function expectRefused({ status, body }: RawReply, expected: number, type: string): Promise<void> {
  expect([status, (JSON.parse(body) as { type: string }).type]).toEqual([expected, type]);
  expect(await server.recorded()).toEqual([]);
}

describeCorpus("xml", (cases) => {
  it.each(cases)("judges $name as a body: $verdict", async ({ verdict, base64 = "" }) => {
    const reply = await post(Buffer.from(base64, "base64"));
    // No case of this corpus is an order, so every well-formed document has the wrong root.
    const isWellFormed = verdict === "accept" || (verdict === "either" && reply.status === 422);
    await (isWellFormed ? expectRefused(reply, 422, VIOLATION) : expectRefused(reply, 400, MALFORMED));
  });
});

describe("documents larger than any case of the corpus", () => {
  it.each([
    ["33,000 open elements", "<order>".repeat(33_000)],
    ["33,000 nested elements that are closed", "<order>".repeat(33_000) + "</order>".repeat(33_000)],
    ["33,000 elements in a namespace", `<a:b xmlns:a="urn:a">${"<a:b>".repeat(33_000)}`],
    ["30,000 attributes", `<order ${Array.from({ length: 30_000 }, (_, i) => `a${i}="1"`).join(" ")}/>`],
    [
      "20,000 namespaces",
      `<order ${Array.from({ length: 20_000 }, (_, i) => `xmlns:a${i}="urn:a"`).join(" ")}/>`,
    ],
    ["50,000 repeated elements", `<order>${"<itemId>a</itemId>".repeat(50_000)}</order>`],
    ["an entity that expands to a gigabyte", entityBomb()],
  ])("are malformed: %s", async (_, body) => {
    await expectRefused(await post(body), 400, MALFORMED);
  });

  it("violate the contract if only their text is long", async () => {
    const itemId = "&lt;".repeat(200_000);
    const body = `<order><itemId>${itemId}</itemId><quantity>1</quantity></order>`;
    await expectRefused(await post(body), 422, VIOLATION);
  });
});

function entityBomb(): string {
  const entities = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`);
  return `<!DOCTYPE order [<!ENTITY e0 "ha">${entities.join("")}]><order><itemId>&e9;</itemId></order>`;
}

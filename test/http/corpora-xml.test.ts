import { xmlFormat } from "async-request-reply/xml";
import { describe, it } from "vitest";
import { describeCorpus } from "../support/corpora.js";
import { useOrderServer } from "./order-server.js";

const { post, expectRefused, expectJudged } = useOrderServer([xmlFormat], "application/xml");

describeCorpus("xml", (cases) => {
  // No case of this corpus is an order, so every well-formed document has the wrong root.
  it.each(cases)("judges $name as a body: $verdict", async ({ verdict, base64 = "" }) => {
    await expectJudged(await post(Buffer.from(base64, "base64")), verdict);
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
    await expectRefused(await post(body), 400, "malformed-body");
  });

  it("violate the contract if only their text is long", async () => {
    const itemId = "&lt;".repeat(200_000);
    const body = `<order><itemId>${itemId}</itemId><quantity>1</quantity></order>`;
    await expectRefused(await post(body), 422, "contract-violation");
  });
});

function entityBomb(): string {
  const entities = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`);
  return `<!DOCTYPE order [<!ENTITY e0 "ha">${entities.join("")}]><order><itemId>&e9;</itemId></order>`;
}

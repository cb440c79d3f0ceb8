import { describe, expect, it } from "vitest";
import { declareContract, orderContract } from "./short-contract.js";
import { useExample } from "./short-example.js";

describe("the example for Hono", () => {
  const example = useExample("fetch-hono");
  declareContract(example, orderContract);

  it("serves its own route and its own 404", async () => {
    const [item, nothing] = [await example.fetch("/items/book"), await example.fetch("/nothing")];
    expect([item.status, await item.json()]).toEqual([200, { itemId: "book", price: 12 }]);
    expect([nothing.status, await nothing.json()]).toEqual([404, { error: "There is nothing here." }]);
  });
});

import { describe, expect, it } from "vitest";
import { declareContract, orderContract } from "./short-contract.js";
import { useExample } from "./short-example.js";

describe("the example for Express", () => {
  const example = useExample("express");
  declareContract(example, orderContract);

  const quote = (body: string): Promise<Response> =>
    example.fetch("/quotes", { method: "POST", headers: { "content-type": "application/json" }, body });

  it("serves its own route, whose body Express parses", async () => {
    const response = await quote('{"quantity":3}');
    expect([response.status, await response.json()]).toEqual([200, { price: 36 }]);
  });

  it.each(['{"quantity":', '{"quantity":"three"}'])(
    "answers %s on that route with its error handler",
    async (body) => {
      const response = await quote(body);
      expect([response.status, await response.json()]).toEqual([400, { error: expect.any(String) }]);
    },
  );
});

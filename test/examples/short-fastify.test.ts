import { describe, expect, it } from "vitest";
import { declareContract, orderContract } from "./short-contract.js";
import { useExample } from "./short-example.js";

describe("the example for Fastify", () => {
  const example = useExample("fastify");
  declareContract(example, orderContract);

  const quote = (body: string): Promise<Response> =>
    example.fetch("/quotes", { method: "POST", headers: { "content-type": "application/json" }, body });

  it("serves its own route, whose body Fastify parses", async () => {
    const response = await quote('{"quantity":3}');
    expect([response.status, await response.json()]).toEqual([200, { price: 36 }]);
  });

  it.each(['{"quantity":', '{"quantity":"three"}'])("lets Fastify refuse %s on that route", async (body) => {
    expect((await quote(body)).status).toBe(400);
  });
});

import { describe, expect, it } from "vitest";
import { declareContract, orderContract } from "./short-contract.js";
import { useExample } from "./short-example.js";

describe("the example for a creation before the reply", { timeout: 30_000 }, () => {
  const example = useExample("created-201");
  declareContract(example, { ...orderContract, status: 201, locationField: "operation-location" });

  it("gives the order in the reply, and serves it at its location, until it is shipped and after", async () => {
    const response = await example.send({ key: "shipped" });
    const order = (await response.json()) as { readonly orderId: string };
    const location = response.headers.get("location") ?? "";
    expect(order).toEqual({ orderId: expect.any(String), itemId: "book", quantity: 1, status: "pending" });
    expect(location).toBe(`/orders/${order.orderId}`);
    expect(await (await example.fetch(location)).json()).toMatchObject({ orderId: order.orderId });
    await example.client().settled(response.headers.get("operation-location") ?? "");
    expect(await (await example.fetch(location)).json()).toEqual({ ...order, status: "shipped" });
  });

  it("repeats the order as it was created, also after it was shipped", async () => {
    const first = await example.send({ key: "repeated" });
    await example.client().settled(first.headers.get("operation-location") ?? "");
    const second = await example.send({ key: "repeated" });
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(await second.json()).toEqual(await first.json());
  });

  it("has an answer of its own where there is no order", async () => {
    const response = await example.fetch("/orders/nothing");
    expect([response.status, await response.json()]).toEqual([404, { error: "There is no such order." }]);
  });
});

import { problemType } from "async-request-reply";
import { describe, expect, it, vi } from "vitest";
import { declareContract } from "./short-contract.js";
import { useExample } from "./short-example.js";

describe("the example for definitions of one's own", { timeout: 30_000 }, () => {
  const example = useExample("custom-operation");
  declareContract(example, {
    refused: { body: '{"year":1999,"month":1}', pointers: ["#/year", "#/month"] },
    repeatedName: '{"year":2020,"year":2021}',
  });

  const headers = { authorization: "Bearer demo-token" };
  const report = async (year: number): Promise<string> => {
    const response = await example.send({ body: JSON.stringify({ year }), key: undefined });
    return response.headers.get("location") ?? "";
  };
  const read = async (location: string): Promise<Record<string, unknown>> =>
    (await (await example.fetch(location, { headers })).json()) as Record<string, unknown>;

  /** A report that was seen under way: one may be ready before anybody looks. */
  async function reportUnderWay(year: number): Promise<readonly [string, Record<string, unknown>]> {
    for (;;) {
      const location = await report(year);
      const operation = await vi.waitUntil(
        async () => {
          const seen = await read(location);
          return seen.status === "pending" && seen.progress === undefined ? undefined : seen;
        },
        { timeout: 20_000, interval: 25 },
      );
      if (operation.status === "pending") return [location, operation];
    }
  }

  it("tells how far the report is, and gives it in the end", async () => {
    const [location, { progress }] = await reportUnderWay(2021);
    expect(progress).toEqual({ months: expect.any(Number) });
    expect(await example.client().settled(location)).toMatchObject({
      status: "completed",
      result: { title: "The year 2021", pages: 12 },
    });
  });

  it("stops the report when it is cancelled", async () => {
    const [location] = await reportUnderWay(2022);
    const response = await example.fetch(location, { method: "DELETE", headers });
    expect(response.status).toBe(202);
    expect(await example.client().settled(location)).toMatchObject({
      status: "failed",
      error: { type: problemType("cancelled") },
    });
  });

  it("fails for good what can never be reported, with a reason", async () => {
    expect(await example.client().settled(await report(9999))).toMatchObject({
      status: "failed",
      error: { type: problemType("work-failed"), detail: "The year 9999 is not over." },
    });
  });

  it("works on the other definition too, which requires a key", async () => {
    const mailing = { path: "/mailings", body: '{"to":"ann@shop.example"}' };
    const refused = await example.send({ ...mailing, key: undefined });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ type: problemType("missing-idempotency-key") }),
    ]);
    const accepted = await example.send({ ...mailing, key: "mailing-1" });
    expect(await example.client().settled(accepted.headers.get("location") ?? "")).toMatchObject({
      result: { sent: "ann@shop.example" },
    });
  });
});

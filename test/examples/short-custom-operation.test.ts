import { problemType } from "async-request-reply/ports";
import { describe, expect, it, vi } from "vitest";
import { declareContract } from "./short-contract.js";
import { useExample } from "./short-example.js";

describe("the example for custom definitions", () => {
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

  /** Submits reports until one is seen running, because a report may finish before the first read. */
  async function runningReport(year: number): Promise<readonly [string, Record<string, unknown>]> {
    for (;;) {
      const location = await report(year);
      const operation = await vi.waitUntil(
        async () => {
          const seen = await read(location);
          return seen.status === "pending" && seen.progress === undefined ? undefined : seen;
        },
        { interval: 25 },
      );
      if (operation.status === "pending") return [location, operation];
    }
  }

  it("shows the progress of a report, and then its result", async () => {
    const [location, { progress }] = await runningReport(2021);
    expect(progress).toEqual({ months: expect.any(Number) });
    expect(await example.client().settled(location)).toMatchObject({
      status: "completed",
      result: { title: "The year 2021", pages: 12 },
    });
  });

  it("stops a report when it is cancelled", async () => {
    const [location] = await runningReport(2022);
    const response = await example.fetch(location, { method: "DELETE", headers });
    expect(response.status).toBe(202);
    expect(await example.client().settled(location)).toMatchObject({
      status: "failed",
      error: { type: problemType("cancelled") },
    });
  });

  it("fails a report that can never succeed, with a reason", async () => {
    expect(await example.client().settled(await report(9999))).toMatchObject({
      status: "failed",
      error: { type: problemType("work-failed"), detail: "The year 9999 is not over." },
    });
  });

  it("runs the other definition too, which requires a key", async () => {
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

import { defineOrders, isAsyncReplyError } from "async-request-reply";
import { describe, expect, it } from "vitest";

const since = new Date("2026-11-01T00:00:00Z");

describe("a deprecated definition", () => {
  it.each([
    ["deprecated.since", { since: new Date(Number.NaN) }],
    ["deprecated.since", { since: "2026-11-01" }],
    ["deprecated.sunset", { since, sunset: new Date("tomorrow") }],
    ["deprecated.sunset", { since, sunset: new Date(since.getTime() - 1) }],
    ["deprecated.link", { since, link: "/orders-v2" }],
  ])("rejects a bad %s by name", (option, deprecated) => {
    const define = (): unknown => defineOrders({ deprecated: deprecated as { since: Date } });
    expect(define).toThrow(option);
    expect(define).toThrow(expect.toSatisfy(isAsyncReplyError));
  });

  it("keeps its dates when the caller changes them", () => {
    const given = new Date(since);
    const { deprecated } = defineOrders({ deprecated: { since: given } });
    given.setFullYear(1999);
    expect(deprecated?.since).toEqual(since);
  });
});

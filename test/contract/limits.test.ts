import { describe, expect, it } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";

const { defineOperation } = untyped;
const input = z.object({});
const define = (change: object): unknown => defineOperation({ name: "one", path: "/one", input, ...change });

describe("limits of a definition", () => {
  testMistakes([
    ...[0, Number.NaN, 1.5, Number.POSITIVE_INFINITY, -1, 1_000_001].flatMap((value) =>
      (["running", "runningPerTenant", "pending", "pendingPerTenant"] as const).map(
        (name) =>
          [
            `${name}: ${value}`,
            `Option \`limits.${name}\` must be a whole number from 1 to 1000000, or absent for no limit, not ${value}.`,
            () => define({ limits: { [name]: value } }),
          ] as const,
      ),
    ),
    [
      "a limit as a text",
      'Option `limits.running` must be a whole number from 1 to 1000000, or absent for no limit, not "5".',
      () => define({ limits: { running: "5" } }),
    ],
    ["a number instead of limits", "Option `limits` must be an object, not 5.", () => define({ limits: 5 })],
    [
      "an unknown limit",
      "Unknown option `limits.perTenant` of defineOperation. Known options: limits.running, limits.runningPerTenant, limits.pending, limits.pendingPerTenant.",
      () => define({ limits: { perTenant: 1 } }),
    ],
    [
      "a name instead of a function",
      'Option `serialBy` must be a function, not "customer".',
      () => define({ serialBy: "customer" }),
    ],
  ]);

  it("are a copy that later changes do not affect", () => {
    const limits = { running: 1, runningPerTenant: 1_000_000 };
    const definition = define({ limits });
    limits.running = 5;
    expect(definition).toMatchObject({ limits: { running: 1, runningPerTenant: 1_000_000 } });
  });

  it.each([[{}], [{ running: undefined }]])("are absent if it has no limit: %o", (limits) => {
    expect(define({ limits })).not.toHaveProperty("limits");
  });
});

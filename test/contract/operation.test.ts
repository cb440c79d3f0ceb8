import type { OperationState, Settlement } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { isOperationId, transition } from "../../src/contract/operation.js";

const table: readonly (readonly [OperationState, Settlement["to"], boolean, OperationState | undefined])[] = [
  ["preparing", "prepared", false, "pending"],
  ["preparing", "failed", false, "failed"],
  ["preparing", "retry", false, "preparing"],
  ["preparing", "completed", false, undefined],
  ["pending", "completed", false, "completed"],
  ["pending", "completed", true, "completed"],
  ["pending", "failed", false, "failed"],
  ["pending", "retry", false, "pending"],
  ["pending", "retry", true, "failed"],
  ["pending", "prepared", false, undefined],
  ...(["completed", "failed"] as const).flatMap((from) =>
    (["completed", "failed", "retry", "prepared"] as const).map(
      (to) => [from, to, false, undefined] as const,
    ),
  ),
];

describe("an operation (spec §3)", () => {
  it.each(table)(
    "in state %s, settled as %s with cancel requested: %s, becomes %s",
    (from, to, cancelRequested, next) => {
      expect(transition(from, to, cancelRequested)).toBe(next);
    },
  );

  const id = "01a1fb05-4b30-709b-a295-a270486ef39a";

  it.each(["", "..", "%00", id.replace(/a$/, "A"), id.slice(0, -1), 7, null])("has no such id: %s", (other) =>
    expect(isOperationId(other)).toBe(false),
  );

  it("has an id that is a UUID in lower case", () => {
    expect(isOperationId(id)).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { type OperationState, type Settlement, transition } from "../../src/contract/operation.js";
import { blocksOf, pages } from "../support/pages.js";

const STATES: readonly OperationState[] = ["preparing", "pending", "completed", "failed"];
const SETTLEMENTS: readonly Settlement["to"][] = ["completed", "failed", "retry", "prepared"];

const possible = STATES.flatMap((from) =>
  SETTLEMENTS.map((settlement) => transition(from, settlement))
    .filter((to) => to !== undefined)
    .map((to) => `${from} ${to}`),
);

const diagrams = pages.flatMap((page) => blocksOf(page, "mermaid"));

describe("a state diagram", () => {
  it.each(diagrams)("shows exactly the possible transitions: $place", ({ text }) => {
    const drawn = [...text.matchAll(/^ *(\w+) --> (\w+):/gm)].map(([, from, to]) => `${from} ${to}`);
    expect(drawn.sort()).toEqual([...new Set(possible)].sort());
  });

  it("is on the page of concepts", () => {
    expect(diagrams.map(({ place }) => place.split(":")[0])).toEqual(["docs/concepts.md"]);
  });
});

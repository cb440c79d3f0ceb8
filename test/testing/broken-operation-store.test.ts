import { operationStoreCases, separateOperationStoreCases } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { memoryOperations } from "../support/memory-harnesses.js";
import { rightFollowingStore } from "./broken/following-stores.js";
import { brokenOperationStores } from "./broken/index.js";
import { overriding, proveSuite } from "./broken/prove.js";
import { trackedStore } from "./broken/tracked-store.js";

describe("the store under those that break a follow-up rule", () => {
  const cases = operationStoreCases.filter(({ rule }) => rule.startsWith("on-end."));

  it.each(cases)("follows the rules: it $name", async ({ run }) => {
    const harness = memoryOperations((store, clock) => {
      const tracked = trackedStore(store, clock);
      return overriding(tracked, rightFollowingStore(tracked, clock));
    });
    await expect(run(harness)).resolves.toBeUndefined();
  });
});

describe.each([
  ["operation stores", operationStoreCases],
  ["operation stores used singly", separateOperationStoreCases],
])("%s", (name, cases) => {
  const rules = new Set(cases.map(({ rule }) => rule));
  const broken = brokenOperationStores.map((each) => ({
    ...each,
    caughtBy: each.caughtBy.filter((rule) => rules.has(rule)),
  }));
  proveSuite(name, {
    cases,
    harness: memoryOperations,
    base: trackedStore,
    broken: broken.filter(({ caughtBy }) => caughtBy.length > 0),
  });
});

it("each broken operation store breaks a rule of one of these suites", () => {
  const rules = [...operationStoreCases, ...separateOperationStoreCases].map(({ rule }) => rule);
  const named = brokenOperationStores.flatMap(({ caughtBy }) => caughtBy);
  expect(new Set(named)).toEqual(new Set(rules));
});

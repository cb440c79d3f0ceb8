import { operationStoreCases } from "async-request-reply/testing";
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

proveSuite("operation stores", {
  cases: operationStoreCases,
  harness: memoryOperations,
  base: trackedStore,
  broken: brokenOperationStores,
});

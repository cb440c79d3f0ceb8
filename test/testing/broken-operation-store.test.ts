import { operationStoreCases } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { memoryOperations } from "../support/memory-harnesses.js";
import { announcingStores } from "./broken/announcing-stores.js";
import { cancellingStores } from "./broken/cancelling-stores.js";
import { jumpyStores } from "./broken/clock-jumps.js";
import { changingStores } from "./broken/contents.js";
import { countingStores } from "./broken/counting-stores.js";
import { creatingStores } from "./broken/creating-stores.js";
import { delayingStores } from "./broken/delaying-stores.js";
import { failedRetentionStores } from "./broken/failed-retention-stores.js";
import { followingStores, rightFollowingStore } from "./broken/following-stores.js";
import { removingStores, retainingStores } from "./broken/forgetting-stores.js";
import { leasingStores } from "./broken/leasing-stores.js";
import { listingStores, readingStores } from "./broken/listing-stores.js";
import { observingStores } from "./broken/observing-stores.js";
import { overdueStores } from "./broken/overdue-stores.js";
import { pausingStores } from "./broken/pausing-stores.js";
import { laneStores, limitStores } from "./broken/place-stores.js";
import { preparingStores } from "./broken/preparing-stores.js";
import { overriding, proveSuite } from "./broken/prove.js";
import { redrivingStores } from "./broken/redriving-stores.js";
import { renewingStores } from "./broken/renewing-stores.js";
import { retryingStores } from "./broken/retrying-stores.js";
import { settlingStores } from "./broken/settling-stores.js";
import { shortDurationStores } from "./broken/short-durations.js";
import { cancellingForOthers, tenantStores } from "./broken/tenants.js";
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
  broken: [
    ...creatingStores,
    ...preparingStores,
    ...leasingStores,
    ...pausingStores,
    ...renewingStores,
    ...settlingStores,
    ...followingStores,
    ...retryingStores,
    ...limitStores,
    ...laneStores,
    ...cancellingStores,
    ...announcingStores,
    ...retainingStores,
    ...failedRetentionStores,
    ...removingStores,
    ...delayingStores,
    ...overdueStores,
    ...observingStores,
    ...readingStores,
    ...listingStores,
    ...countingStores,
    ...redrivingStores,
    ...tenantStores,
    ...cancellingForOthers,
    ...shortDurationStores,
    ...jumpyStores,
    ...changingStores,
  ],
});

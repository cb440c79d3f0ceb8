import { operationStoreCases } from "async-request-reply/testing";
import { memoryOperations } from "../backends/memory-harnesses.js";
import { announcingStores } from "./broken/announcing-stores.js";
import { cancellingStores } from "./broken/cancelling-stores.js";
import { creatingStores } from "./broken/creating-stores.js";
import { removingStores, retainingStores } from "./broken/forgetting-stores.js";
import { leasingStores } from "./broken/leasing-stores.js";
import { observingStores } from "./broken/observing-stores.js";
import { preparingStores } from "./broken/preparing-stores.js";
import { proveSuite } from "./broken/prove.js";
import { renewingStores } from "./broken/renewing-stores.js";
import { retryingStores } from "./broken/retrying-stores.js";
import { followingStores, settlingStores } from "./broken/settling-stores.js";
import { trackedStore } from "./broken/tracked-store.js";

proveSuite("operation stores", {
  cases: operationStoreCases,
  harness: memoryOperations,
  base: trackedStore,
  broken: [
    ...creatingStores,
    ...preparingStores,
    ...leasingStores,
    ...renewingStores,
    ...settlingStores,
    ...followingStores,
    ...retryingStores,
    ...cancellingStores,
    ...announcingStores,
    ...retainingStores,
    ...removingStores,
    ...observingStores,
  ],
});

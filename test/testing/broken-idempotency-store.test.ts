import { idempotencyStoreCases } from "async-request-reply/testing";
import { memoryIdempotency } from "../support/memory-harnesses.js";
import { claimStores } from "./broken/claim-stores.js";
import { jumpyClaimStores } from "./broken/clock-jumps.js";
import { changingClaimStores } from "./broken/contents.js";
import { proveSuite } from "./broken/prove.js";
import { releaseStores, staleStores } from "./broken/releasing-claim-stores.js";
import { shortDurationClaimStores } from "./broken/short-durations.js";
import { tenantClaimStores } from "./broken/tenants.js";

proveSuite("idempotency stores", {
  cases: idempotencyStoreCases,
  harness: memoryIdempotency,
  base: (store) => store,
  broken: [
    ...claimStores,
    ...releaseStores,
    ...staleStores,
    ...tenantClaimStores,
    ...shortDurationClaimStores,
    ...jumpyClaimStores,
    ...changingClaimStores,
  ],
});

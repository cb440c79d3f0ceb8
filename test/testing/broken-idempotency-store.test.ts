import { idempotencyStoreCases } from "async-request-reply/testing";
import { memoryIdempotency } from "../backends/memory-harnesses.js";
import { claimStores } from "./broken/claim-stores.js";
import { proveSuite } from "./broken/prove.js";
import { releaseStores, staleStores } from "./broken/releasing-claim-stores.js";

proveSuite("idempotency stores", {
  cases: idempotencyStoreCases,
  harness: memoryIdempotency,
  base: (store) => store,
  broken: [...claimStores, ...releaseStores, ...staleStores],
});

import { idempotencyStoreCases } from "async-request-reply/testing";
import { memoryIdempotency } from "../support/memory-harnesses.js";
import { brokenIdempotencyStores } from "./broken/index.js";
import { proveSuite } from "./broken/prove.js";

proveSuite("idempotency stores", {
  cases: idempotencyStoreCases,
  harness: memoryIdempotency,
  base: (store) => store,
  broken: brokenIdempotencyStores,
});

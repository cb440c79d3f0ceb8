import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import { claimChecks } from "./idempotency-store/claim.js";
import { clockJumpChecks } from "./idempotency-store/clock-jumps.js";
import { contentChecks } from "./idempotency-store/contents.js";
import { longestDurationChecks } from "./idempotency-store/longest-durations.js";
import { releaseChecks } from "./idempotency-store/release.js";
import { staleChecks } from "./idempotency-store/stale.js";
import { type PortCase, type PortHarness, toCases } from "./port-case.js";

/** Gives the cases of {@link idempotencyStoreCases} stores to work on. */
export type IdempotencyStoreHarness = PortHarness<IdempotencyStore>;

/** What every idempotency store must do, case by case. Each case takes a store of its own. */
export const idempotencyStoreCases: readonly PortCase<IdempotencyStoreHarness>[] = toCases([
  ...claimChecks,
  ...releaseChecks,
  ...staleChecks,
  ...contentChecks,
  ...longestDurationChecks,
  ...clockJumpChecks,
]);

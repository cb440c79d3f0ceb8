import type { IdempotencyStore } from "../../ports/idempotency-store.js";
import { bindChecks } from "./idempotency-store/bind.js";
import { clockJumpChecks } from "./idempotency-store/clock-jumps.js";
import { contentChecks } from "./idempotency-store/contents.js";
import { findChecks } from "./idempotency-store/find.js";
import { longestDurationChecks } from "./idempotency-store/longest-durations.js";
import { releaseChecks } from "./idempotency-store/release.js";
import { staleChecks } from "./idempotency-store/stale.js";
import { type PortCase, type PortHarness, toCases } from "./port-case.js";

/** Creates idempotency stores for {@link idempotencyStoreCases}. */
export type IdempotencyStoreHarness = PortHarness<IdempotencyStore>;

/** Conformance suite for idempotency stores. Each case opens a new store. */
export const idempotencyStoreCases: readonly PortCase<IdempotencyStoreHarness>[] = toCases([
  ...bindChecks,
  ...findChecks,
  ...releaseChecks,
  ...staleChecks,
  ...contentChecks,
  ...longestDurationChecks,
  ...clockJumpChecks,
]);

import { type PortCase, toCases } from "./port-case.js";
import { clockJumpChecks } from "./separate-operation-store/clock-jumps.js";
import { failedRetentionChecks } from "./separate-operation-store/failed-retention.js";
import type { SeparateOperationStoreHarness } from "./separate-operation-store/fixtures.js";
import { longestDurationChecks } from "./separate-operation-store/longest-durations.js";
import { redrivenChecks } from "./separate-operation-store/redriven.js";
import { removalChecks } from "./separate-operation-store/removal.js";
import { retentionChecks } from "./separate-operation-store/retention.js";

export type { SeparateOperationStoreHarness };

/**
 * Conformance suite for operation stores whose keys another store keeps, beyond the suite of operation stores. Each case
 * opens a new store.
 */
export const separateOperationStoreCases: readonly PortCase<SeparateOperationStoreHarness>[] = toCases([
  ...retentionChecks,
  ...failedRetentionChecks,
  ...removalChecks,
  ...redrivenChecks,
  ...longestDurationChecks,
  ...clockJumpChecks,
]);

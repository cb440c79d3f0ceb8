import type { ActionsBackend, ActionsStoreHarness } from "./actions-store/fixtures.js";
import { purgingChecks } from "./actions-store/purging.js";
import { recordingChecks } from "./actions-store/recording.js";
import { type PortCase, toCases } from "./port-case.js";

export type { ActionsBackend, ActionsStoreHarness };

/** Conformance suite for stores of actions. Each case opens a new back end. */
export const actionsStoreCases: readonly PortCase<ActionsStoreHarness>[] = toCases([
  ...recordingChecks,
  ...purgingChecks,
]);

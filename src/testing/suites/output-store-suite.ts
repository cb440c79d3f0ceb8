import { appendChecks } from "./output-store/appends.js";
import { checkpointChecks } from "./output-store/checkpoints.js";
import type { OutputBackend, OutputStoreHarness } from "./output-store/fixtures.js";
import { outputReadingChecks } from "./output-store/reading.js";
import { outputRedriveChecks } from "./output-store/redrives.js";
import { type PortCase, toCases } from "./port-case.js";

export type { OutputBackend, OutputStoreHarness };

/** Conformance suite for output stores. Each case opens a new back end. */
export const outputStoreCases: readonly PortCase<OutputStoreHarness>[] = toCases([
  ...appendChecks,
  ...checkpointChecks,
  ...outputReadingChecks,
  ...outputRedriveChecks,
]);

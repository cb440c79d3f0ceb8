import type { MinutesBackend, MinutesStoreHarness } from "./minutes-store/fixtures.js";
import { foldingChecks } from "./minutes-store/folding.js";
import { writingChecks } from "./minutes-store/writing.js";
import { type PortCase, toCases } from "./port-case.js";

export type { MinutesBackend, MinutesStoreHarness };

/** Conformance suite for stores of minutes. Each case opens a new back end. */
export const minutesStoreCases: readonly PortCase<MinutesStoreHarness>[] = toCases([
  ...writingChecks,
  ...foldingChecks,
]);

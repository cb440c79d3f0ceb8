import { type PortCase, toCases } from "./port-case.js";
import type { SubmissionsHarness } from "./submissions/fixtures.js";
import { purgeChecks } from "./submissions/purge.js";
import { recordChecks } from "./submissions/record.js";

export type { SubmissionsHarness };

/** What every atomic RECORD and purge must do beyond the two stores it spans. Each case takes stores of its own. */
export const submissionsCases: readonly PortCase<SubmissionsHarness>[] = toCases([
  ...recordChecks,
  ...purgeChecks,
]);

import { type PortCase, toCases } from "./port-case.js";
import { clockJumpChecks } from "./submissions/clock-jumps.js";
import { contentChecks } from "./submissions/contents.js";
import type { Recording, SubmissionsHarness } from "./submissions/fixtures.js";
import { longestDurationChecks } from "./submissions/longest-durations.js";
import { purgeChecks } from "./submissions/purge.js";
import { recordChecks } from "./submissions/record.js";
import { recordManyChecks } from "./submissions/record-many.js";
import { retentionChecks } from "./submissions/retention.js";

export type { Recording, SubmissionsHarness };

/** Conformance suite for atomic RECORD and purge, beyond the suite of operation stores. Each case opens a new back end. */
export const submissionsCases: readonly PortCase<SubmissionsHarness>[] = toCases([
  ...recordChecks,
  ...recordManyChecks,
  ...purgeChecks,
  ...retentionChecks,
  ...contentChecks,
  ...longestDurationChecks,
  ...clockJumpChecks,
]);

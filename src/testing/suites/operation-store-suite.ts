import { attemptChecks } from "./operation-store/attempts.js";
import { cancelChecks } from "./operation-store/cancel.js";
import { clockJumpChecks } from "./operation-store/clock-jumps.js";
import { contentChecks } from "./operation-store/contents.js";
import { createChecks } from "./operation-store/create.js";
import { delayChecks } from "./operation-store/delay.js";
import { dueChecks } from "./operation-store/due.js";
import { dueAgainChecks } from "./operation-store/due-again.js";
import type { OperationStoreHarness } from "./operation-store/fixtures.js";

import { getChecks } from "./operation-store/get.js";
import { getManyChecks } from "./operation-store/get-many.js";
import { listChecks } from "./operation-store/list.js";
import { longestDurationChecks } from "./operation-store/longest-durations.js";
import { onEndChecks } from "./operation-store/on-end.js";
import { preparingChecks } from "./operation-store/preparing.js";
import { redriveChecks } from "./operation-store/redrive.js";
import { redrivenChecks } from "./operation-store/redriven.js";
import { removalChecks } from "./operation-store/removal.js";
import { renewChecks } from "./operation-store/renew.js";
import { retentionChecks } from "./operation-store/retention.js";
import { retryChecks } from "./operation-store/retry.js";
import { settleChecks } from "./operation-store/settle.js";
import { statsChecks } from "./operation-store/stats.js";
import { takeoverChecks } from "./operation-store/takeover.js";
import { watchChecks } from "./operation-store/watch.js";
import { type PortCase, toCases } from "./port-case.js";

export type { OperationStoreHarness };

/** Conformance suite for operation stores. Each case opens a new store. */
export const operationStoreCases: readonly PortCase<OperationStoreHarness>[] = toCases([
  ...createChecks,
  ...preparingChecks,
  ...getChecks,
  ...attemptChecks,
  ...takeoverChecks,
  ...renewChecks,
  ...settleChecks,
  ...retryChecks,
  ...onEndChecks,
  ...cancelChecks,
  ...delayChecks,
  ...dueChecks,
  ...dueAgainChecks,
  ...retentionChecks,
  ...removalChecks,
  ...watchChecks,
  ...getManyChecks,
  ...listChecks,
  ...statsChecks,
  ...redriveChecks,
  ...redrivenChecks,
  ...contentChecks,
  ...longestDurationChecks,
  ...clockJumpChecks,
]);

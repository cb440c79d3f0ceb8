import { attemptChecks } from "./operation-store/attempt/attempts.js";
import { onEndChecks } from "./operation-store/attempt/on-end.js";
import { pauseChecks } from "./operation-store/attempt/pause.js";
import { redriveChecks } from "./operation-store/attempt/redrive.js";
import { renewChecks } from "./operation-store/attempt/renew.js";
import { retryChecks } from "./operation-store/attempt/retry.js";
import { settleChecks } from "./operation-store/attempt/settle.js";
import { takeoverChecks } from "./operation-store/attempt/takeover.js";
import { claimChecks } from "./operation-store/claim/begins.js";
import { claimOutlookChecks } from "./operation-store/claim/outlook.js";
import { claimPlaceChecks } from "./operation-store/claim/places.js";
import { repeatedClaimChecks } from "./operation-store/claim/repeated.js";
import { claimTurnChecks } from "./operation-store/claim/turns.js";
import { clockJumpChecks } from "./operation-store/clock-jumps.js";
import { cancelChecks } from "./operation-store/create/cancel.js";
import { createChecks } from "./operation-store/create/create.js";
import { preparingChecks } from "./operation-store/create/preparing.js";
import { deadlineChecks } from "./operation-store/due/deadline.js";
import { deadlineEndChecks } from "./operation-store/due/deadline-ends.js";
import { delayChecks } from "./operation-store/due/delay.js";
import type { OperationStoreHarness } from "./operation-store/fixtures.js";
import { laneChecks } from "./operation-store/places/lanes.js";
import { limitChecks } from "./operation-store/places/limits.js";
import { contentChecks } from "./operation-store/reading/contents.js";
import { countPendingChecks } from "./operation-store/reading/count-pending.js";
import { getChecks } from "./operation-store/reading/get.js";
import { getManyChecks } from "./operation-store/reading/get-many.js";
import { inspectChecks } from "./operation-store/reading/inspect.js";
import { listChecks } from "./operation-store/reading/list.js";
import { statsChecks } from "./operation-store/reading/stats.js";
import { watchChecks } from "./operation-store/reading/watch.js";
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
  ...limitChecks,
  ...laneChecks,
  ...pauseChecks,
  ...claimChecks,
  ...repeatedClaimChecks,
  ...claimTurnChecks,
  ...claimPlaceChecks,
  ...claimOutlookChecks,
  ...cancelChecks,
  ...delayChecks,
  ...deadlineChecks,
  ...deadlineEndChecks,
  ...watchChecks,
  ...getManyChecks,
  ...inspectChecks,
  ...listChecks,
  ...statsChecks,
  ...countPendingChecks,
  ...redriveChecks,
  ...contentChecks,
  ...clockJumpChecks,
]);

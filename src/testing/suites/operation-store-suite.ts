import { attemptChecks } from "./operation-store/attempts.js";
import { cancelChecks } from "./operation-store/cancel.js";
import { createChecks } from "./operation-store/create.js";
import { dueChecks } from "./operation-store/due.js";
import { dueAgainChecks } from "./operation-store/due-again.js";
import type { OperationStoreHarness } from "./operation-store/fixtures.js";
import { followUpChecks } from "./operation-store/follow-ups.js";
import { getChecks } from "./operation-store/get.js";
import { listChecks } from "./operation-store/list.js";
import { preparingChecks } from "./operation-store/preparing.js";
import { removalChecks } from "./operation-store/removal.js";
import { renewChecks } from "./operation-store/renew.js";
import { retentionChecks } from "./operation-store/retention.js";
import { retryChecks } from "./operation-store/retry.js";
import { settleChecks } from "./operation-store/settle.js";
import { takeoverChecks } from "./operation-store/takeover.js";
import { watchChecks } from "./operation-store/watch.js";
import { type PortCase, toCases } from "./port-case.js";

export type { OperationStoreHarness };

/** What every operation store must do, case by case. Each case takes a store of its own. */
export const operationStoreCases: readonly PortCase<OperationStoreHarness>[] = toCases([
  ...createChecks,
  ...preparingChecks,
  ...getChecks,
  ...attemptChecks,
  ...takeoverChecks,
  ...renewChecks,
  ...settleChecks,
  ...retryChecks,
  ...followUpChecks,
  ...cancelChecks,
  ...dueChecks,
  ...dueAgainChecks,
  ...retentionChecks,
  ...removalChecks,
  ...watchChecks,
  ...listChecks,
]);

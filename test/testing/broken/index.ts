import type { IdempotencyStore } from "async-request-reply";
import type { Recording } from "async-request-reply/testing";
import { bindingStores } from "./binding-stores.js";
import { cancellingStores } from "./cancelling-stores.js";
import { claimingStores } from "./claiming-stores.js";
import { jumpyBindingStores, jumpyStores, jumpySubmissions } from "./clock-jumps.js";
import { changingBindingStores, changingStores, changingSubmissions } from "./contents.js";
import { countingStores } from "./counting-stores.js";
import { creatingStores } from "./creating-stores.js";
import { delayingStores } from "./delaying-stores.js";
import { failedRetentionStores, failedRetentionSubmissions } from "./failed-retention-stores.js";
import { followingStores } from "./following-stores.js";
import { removingStores, retainingStores } from "./forgetting-stores.js";
import { leasingStores } from "./leasing-stores.js";
import { inspectingStores, listingStores, readingStores } from "./listing-stores.js";
import { observingStores } from "./observing-stores.js";
import { overdueStores } from "./overdue-stores.js";
import { pausingStores } from "./pausing-stores.js";
import { laneStores, limitStores } from "./place-stores.js";
import { preparingStores } from "./preparing-stores.js";
import type { BrokenPort } from "./prove.js";
import { purgingSubmissions } from "./purging-submissions.js";
import { recordingOf } from "./recorder.js";
import { recordingMany } from "./recording-many.js";
import { recordingSubmissions } from "./recording-submissions.js";
import { redrivingStores } from "./redriving-stores.js";
import { releaseStores, staleStores } from "./releasing-binding-stores.js";
import { renewingStores } from "./renewing-stores.js";
import { retainingSubmissions } from "./retaining-submissions.js";
import { retryingStores } from "./retrying-stores.js";
import { settlingStores } from "./settling-stores.js";
import {
  shortDurationBindingStores,
  shortDurationStores,
  shortDurationSubmissions,
} from "./short-durations.js";
import { cancellingForOthers, tenantBindingStores, tenantStores, tenantSubmissions } from "./tenants.js";
import type { TrackedStore } from "./tracked-store.js";

export { brokenQueues } from "./queues.js";

/** Operation stores that each break a rule. */
export const brokenOperationStores: readonly BrokenPort<TrackedStore>[] = [
  ...creatingStores,
  ...preparingStores,
  ...leasingStores,
  ...pausingStores,
  ...claimingStores,
  ...renewingStores,
  ...settlingStores,
  ...followingStores,
  ...retryingStores,
  ...limitStores,
  ...laneStores,
  ...cancellingStores,
  ...retainingStores,
  ...failedRetentionStores,
  ...removingStores,
  ...delayingStores,
  ...overdueStores,
  ...observingStores,
  ...readingStores,
  ...inspectingStores,
  ...listingStores,
  ...countingStores,
  ...redrivingStores,
  ...tenantStores,
  ...cancellingForOthers,
  ...shortDurationStores,
  ...jumpyStores,
  ...changingStores,
];

/** Idempotency stores that each break a rule. */
export const brokenIdempotencyStores: readonly BrokenPort<IdempotencyStore>[] = [
  ...bindingStores,
  ...releaseStores,
  ...staleStores,
  ...tenantBindingStores,
  ...shortDurationBindingStores,
  ...jumpyBindingStores,
  ...changingBindingStores,
];

/** Back ends whose submissions each break a rule. */
export const brokenSubmissions: readonly BrokenPort<Recording>[] = [
  ...recordingSubmissions,
  ...recordingMany,
  ...purgingSubmissions,
  ...retainingSubmissions,
  ...failedRetentionSubmissions,
  ...tenantSubmissions,
  ...shortDurationSubmissions,
  ...jumpySubmissions,
  ...changingSubmissions,
].map(recordingOf);

import { type PortCase, toCases } from "./port-case.js";
import { deadlineChecks } from "./queue/deadlines.js";
import { deliveryChecks } from "./queue/delivery.js";
import type { QueueHarness } from "./queue/fixtures.js";
import { placeChecks } from "./queue/places.js";
import { receiveChecks } from "./queue/receive.js";
import { ticketChecks } from "./queue/tickets.js";
import { turnChecks } from "./queue/turns.js";

export {
  createStoreQueueHarness,
  type StoreQueueHarnessOptions,
  type StoreWithQueue,
} from "./queue/store-queue-harness.js";
export type { QueueHarness };

/** Conformance suite for queues. Each case opens a new queue. */
export const queueCases: readonly PortCase<QueueHarness>[] = toCases([
  ...receiveChecks,
  ...turnChecks,
  ...placeChecks,
  ...deadlineChecks,
  ...deliveryChecks,
  ...ticketChecks,
]);

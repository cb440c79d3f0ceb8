import { type PortCase, toCases } from "./port-case.js";
import { deliveryChecks } from "./queue/delivery.js";
import type { QueueHarness } from "./queue/fixtures.js";
import { receiveChecks } from "./queue/receive.js";

export type { QueueHarness };

/** What every queue must do, case by case. Each case takes a queue of its own. */
export const queueCases: readonly PortCase<QueueHarness>[] = toCases([...receiveChecks, ...deliveryChecks]);

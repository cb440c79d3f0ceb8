import type { PortCase } from "./port-case.js";
import { closingChecks } from "./queue/closing.js";
import { type OpenQueue, type QueueCheck, type QueueHarness, QueueStage } from "./queue/fixtures.js";
import { ringChecks } from "./queue/rings.js";
import { sharingChecks } from "./queue/sharing.js";
import { wantChecks } from "./queue/wants.js";

export type { OpenQueue, QueueHarness };

/** Conformance suite for queues. Each case opens a new queue. */
export const queueCases: readonly PortCase<QueueHarness>[] = [
  ...ringChecks,
  ...wantChecks,
  ...sharingChecks,
  ...closingChecks,
].map(toQueueCase);

function toQueueCase({ check, ...described }: QueueCheck): PortCase<QueueHarness> {
  return {
    ...described,
    run: async (harness) => {
      const stage = new QueueStage(harness, await harness.create());
      try {
        await check(stage);
      } finally {
        await stage.close();
      }
    },
  };
}

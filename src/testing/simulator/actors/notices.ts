import { defineOperation, type OperationDefinition } from "../../../contract/definition/definition.js";
import type { StandardSchema } from "../../../contract/schema/standard-schema.js";
import type { Job } from "../../../worker/attempt/job.js";
import type { Stage } from "../stage.js";
import { short } from "../world/names.js";
import type { Process } from "../world/world.js";

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "async-request-reply", validate: (value) => ({ value }) },
};

/**
 * Definition of notices. Clients submit them, and some operations have one as their follow-up. Their retention is
 * shorter than that of orders.
 */
export type NoticeDefinition = OperationDefinition<
  "notices",
  "/notices",
  StandardSchema,
  undefined,
  undefined
>;

export const NOTICES: NoticeDefinition = defineOperation({
  name: "notices",
  path: "/notices",
  input: anything,
  cancellable: true,
  retentionMs: 600_000,
  failedRetentionMs: 300_000,
});

/** Processes a notice. Some notices end only by their attempt timeout. */
export async function notify(
  { world, ledger }: Stage,
  process: Process,
  { operationId, signal }: Job,
): Promise<unknown> {
  const outcome = await world.call(process, `notify(${short(operationId)})`, async () => {
    ledger.effect(operationId);
    return world.choices.weighted([
      ["done", 6],
      ["throws", 2],
      ["endless", 1],
    ]);
  });
  if (outcome === "throws") throw new Error("simulated");
  if (outcome === "endless") await aborted(signal);
  return { notice: operationId };
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw signal.reason;
}

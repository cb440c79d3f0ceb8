import { defineOperation, type OperationDefinition } from "../../contract/definition.js";
import type { StandardSchema } from "../../contract/schema/standard-schema.js";
import type { Job } from "../../worker/attempt/job.js";
import { short } from "./names.js";
import type { Stage } from "./stage.js";
import type { Process } from "./world.js";

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "async-request-reply", validate: (value) => ({ value }) },
};

/** What follows the end of some operations. It is kept for a shorter time than they are. */
export const NOTICES: OperationDefinition<"notices"> = defineOperation({
  name: "notices",
  path: "/notices",
  input: anything,
  retentionMs: 600_000,
});

/** Works on a follow-up. */
export async function notify(
  { world, ledger }: Stage,
  process: Process,
  { operationId }: Job,
): Promise<unknown> {
  const outcome = await world.call(process, `notify(${short(operationId)})`, async () => {
    ledger.effect(operationId);
    return world.choices.weighted([
      ["done", 6],
      ["throws", 2],
    ]);
  });
  if (outcome === "throws") throw new Error("simulated");
  return { notice: operationId };
}

import { isAsyncReplyError } from "../../../contract/errors.js";
import type { Submitted } from "../../../in-process/submit.js";
import type { Stage } from "../stage.js";
import type { Api } from "./actors.js";
import { chooseDelay, judgeRejected, optionsOf, recordAccepted } from "./calls.js";
import { type Answer, type Draft, describeDraft, toRequest } from "./drafts.js";

/** Thrown by a user's function that rolls its transaction back on purpose. */
class DeliberateRollback extends Error {}

/** Writes an effect and submits in one transaction of the user, which then commits or rolls back. */
export async function submitInOwnTransaction(
  stage: Stage,
  { service, process }: Api,
  draft: Draft,
): Promise<Answer> {
  const { world, transactions, nextNumber } = stage;
  const { users } = transactions;
  if (users === undefined) return "retry";
  const own = nextNumber();
  const delayMs = chooseDelay(stage, draft);
  const request = toRequest(stage, draft, delayMs);
  let refused: Answer | undefined;
  const committed = transactions.run<Submitted, Submitted>({
    process,
    kind: "own",
    name: String(own),
    start: (work) => users.run(work),
    work: async (tx) => {
      await transactions.write(process, tx, `own ${own}`);
      const call = service.submit(draft.definition, draft.input as never, { ...optionsOf(request), tx });
      const submitted = await call.catch((error: unknown) => {
        // Errors of `create` and of a lost connection arrive unchanged.
        refused = isCreationInProgress(error) ? "retry" : judgeRejected(stage, request, error);
        throw error;
      });
      if (world.choices.choose(4) === 3) {
        refused = "refused";
        throw new DeliberateRollback();
      }
      return submitted;
    },
    isCommitted: () => true,
  });
  const submitted = await Promise.race([committed.catch(() => {}), process.death]);
  if (!submitted) return refused ?? "retry";
  world.note(
    `${process.name}: submitted ${describeDraft(draft)} in a transaction -> ${submitted.operationId}`,
  );
  return recordAccepted(stage, request, submitted);
}

/**
 * Returns whether another process is creating the resource. A transaction cannot take over an interrupted creation:
 * only workers and submissions outside of transactions can. So the wait can be long.
 */
function isCreationInProgress(error: unknown): boolean {
  return isAsyncReplyError(error) && error.code === "CREATION_IN_PROGRESS";
}

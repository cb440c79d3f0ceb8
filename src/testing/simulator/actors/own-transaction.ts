import { isAsyncReplyError } from "../../../contract/errors.js";
import type { Submitted } from "../../../in-process/submit.js";
import type { Stage } from "../stage.js";
import type { Api } from "./actors.js";
import { accepted, chooseDelay, optionsOf, rejected } from "./calls.js";
import { type Answer, about, type Draft, toRequest } from "./drafts.js";

/** Thrown by users who change their minds. */
class ChangeOfMind extends Error {}

/** Writes something of the user's and submits in one transaction, which is then committed or rolled back. */
export async function submitInOwnTransaction(
  stage: Stage,
  { service, process }: Api,
  draft: Draft,
): Promise<Answer> {
  const { world, transactions, nextNumber } = stage;
  const { users } = transactions;
  if (users === undefined) return "again";
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
        // What creates the resource throws comes as it is, and so does the loss of the connection.
        refused = isCreating(error) ? "again" : rejected(stage, request, error);
        throw error;
      });
      if (world.choices.choose(4) === 3) {
        refused = "refused";
        throw new ChangeOfMind();
      }
      return submitted;
    },
    isCommitted: () => true,
  });
  const submitted = await Promise.race([committed.catch(() => {}), process.death]);
  if (!submitted) return refused ?? "again";
  world.note(`${process.name}: submitted ${about(draft)} in a transaction -> ${submitted.operationId}`);
  return accepted(stage, request, submitted);
}

/** A transaction leaves a creation that was interrupted to workers and to submissions outside, so it may wait for long. */
function isCreating(error: unknown): boolean {
  return isAsyncReplyError(error) && error.code === "CREATION_IN_PROGRESS";
}

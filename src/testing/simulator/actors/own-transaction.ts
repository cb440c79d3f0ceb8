import { isAsyncReplyError } from "../../../contract/errors.js";
import type { Submitted } from "../../../service/submit.js";
import type { SubmitOutcome } from "../../../service/submit-many.js";
import type { SynchronousTransactions } from "../ports/synchronous.js";
import type { Stage } from "../stage.js";
import type { Api } from "./actors.js";
import { chooseDelay, itemOf, judgeRejected, optionsOf, recordAccepted } from "./calls.js";
import { type Answer, type Draft, describeDraft, toRequest } from "./drafts.js";
import { createsBeforeReply } from "./work.js";

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
  if (stage.synchronous !== undefined)
    return submitAtOnce(stage, stage.synchronous, { service, process }, draft);
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
      const options = { ...optionsOf(request), tx };
      const input = draft.input as never;
      const inList = !createsBeforeReply(stage, draft.definition.name) && world.choices.choose(3) === 2;
      const call = inList
        ? service
            .submitMany(draft.definition, [{ ...itemOf(request), input }], { tenant: request.tenant, tx })
            .then(only)
        : service.submit(draft.definition, input, options);
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

/** Does the same in a synchronous transaction, which is one call. */
async function submitAtOnce(
  stage: Stage,
  synchronous: SynchronousTransactions,
  { service, process }: Api,
  draft: Draft,
): Promise<Answer> {
  const { world, nextNumber } = stage;
  // Its resource is created before the reply, which a synchronous transaction cannot do.
  if (createsBeforeReply(stage, draft.definition.name)) return "retry";
  const own = nextNumber();
  const request = toRequest(stage, draft, chooseDelay(stage, draft));
  const isUndone = world.choices.choose(4) === 3;
  let refused: Answer | undefined;
  const submit = async (): Promise<Submitted> => {
    const prepared = await service.prepare(
      draft.definition,
      draft.input as never,
      optionsOf(request) as never,
    );
    return synchronous.run(process, String(own), (handle) => {
      synchronous.write(handle, `own ${own}`);
      const submitted = prepared.record(handle as never);
      if (!isUndone) return submitted;
      refused = "refused";
      throw new DeliberateRollback();
    });
  };
  const submitting = submit().catch((error: unknown) => {
    refused ??= isCreationInProgress(error) ? "retry" : judgeRejected(stage, request, error);
  });
  const submitted = await Promise.race([submitting, process.death]);
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

/** Returns the outcome of the only item of a list. Throws the error that refused it. */
function only([outcome]: readonly SubmitOutcome[]): Submitted {
  if (outcome === undefined) throw new Error("a list has an outcome for each item");
  if (outcome.outcome === "refused") throw outcome.error;
  return outcome;
}

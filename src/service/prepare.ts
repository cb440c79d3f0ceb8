import type { OperationDefinition } from "../contract/definition/definition.js";
import { misuse } from "../contract/options.js";
import type { ServiceContext } from "../http/context.js";
import { storeAnswer } from "../operations/store-answer.js";
import { acceptedIn } from "../operations/submission/creation/record-in.js";
import { synchronousTransactions } from "../ports/backend.js";
import type { Lifecycle } from "../protocol/lifecycle.js";
import { submitChannel, traced } from "../telemetry/channels.js";
import { knownDefinition, readCall } from "./call.js";
import { type GivenOptions, SUBMISSION_OPTIONS } from "./submission-options.js";
import { check, type Submitted, toSubmitted } from "./submit.js";

/** A checked submission. Created by `Service.prepare`. */
export interface PreparedSubmission<Handle> {
  /**
   * Records the submission in the transaction that you have opened on this database. The operation exists once your
   * transaction commits, and workers then start it. There is no event. If the call throws, it has changed nothing, and
   * your transaction stays usable unless the database itself ended it.
   *
   * Throws `IDEMPOTENCY_KEY_REUSED` if the key belongs to a different input; `SUBMISSION_IN_PROGRESS`;
   * `CREATION_IN_PROGRESS`; `STORE_UNAVAILABLE` if another connection is writing: roll back, and run your whole
   * transaction again; `OVERLOADED` if there is no room; `INVALID_OPTION` if no transaction is open on the database, or
   * if it is another database than that of the back end; `SERVICE_CLOSED`.
   *
   * @param database Database of the back end, or another open connection to the same file
   */
  record(database: Handle): Submitted;
}

/** Prepares a submission for a synchronous transaction. See `Service.prepare`. */
export async function prepare(
  context: ServiceContext & { readonly lifecycle: Pick<Lifecycle, "checkOpen"> },
  definition: OperationDefinition,
  input: unknown,
  given: GivenOptions | undefined,
): Promise<PreparedSubmission<unknown>> {
  const known = knownDefinition(context, definition);
  const options = readCall(context, "prepare", given, SUBMISSION_OPTIONS);
  const synchronous = synchronousTransactions(context.backend);
  if (Object.hasOwn(context.create, known.name))
    throw misuse(
      `The service creates the resource of "${known.name}" before the reply, which can be asynchronous. Call ` +
        "`service.submit` instead, outside of your transaction.",
    );
  const { checked, prepared, place } = await traced(
    submitChannel,
    () => ({ definition: known.name, tenant: options.tenant }),
    async (message) => {
      const submission = await check(context, known, input, options, message?.meta);
      const place = await context.backlog?.admit(submission.submission.operation);
      try {
        const record = await storeAnswer(context, synchronous.prepare(submission.submission));
        return { checked: submission, prepared: record, place };
      } catch (error) {
        place?.giveBack();
        throw error;
      }
    },
    (made) => ({ operationId: made.checked.submission.operation.id, outcome: "prepared" as const }),
  );
  return {
    record: (database) => {
      context.lifecycle.checkOpen();
      const recorded = prepared.record(database);
      if (recorded.outcome !== "created") place?.giveBack();
      const accepted = acceptedIn(context, checked, recorded);
      if (!accepted.replayed) context.minutes?.recorded([accepted.operationId]);
      return toSubmitted(accepted);
    },
  };
}

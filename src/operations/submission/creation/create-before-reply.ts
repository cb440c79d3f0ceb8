import { notRecorded } from "../../../contract/errors.js";
import type { JsonText } from "../../../contract/operation.js";
import type { Transactions } from "../../../ports/backend.js";
import type { Lease } from "../../../ports/operation-store.js";
import type { RecordResult } from "../../../ports/submission.js";
import { asUncertain, storeAnswer } from "../../store-answer.js";
import type { Accepted } from "../accepted.js";
import { earlierOperation } from "../earlier-operation.js";
import { recordSubmission } from "../record-submission.js";
import { settleCreation } from "./create-resource.js";
import {
  type Creation,
  continueWith,
  countFailed,
  createUnder,
  limitsOf,
  notCreated,
  readAgain,
  toCall,
} from "./creation.js";
import { permanentError, runCreate } from "./run-create.js";

/**
 * Creates the resource before the reply (spec §4.1, 201). A concurrent duplicate gets a 409.
 *
 * Throws `CREATION_IN_PROGRESS`, `CREATION_FAILED`, and the errors of recording.
 */
export function createBeforeReply(creation: Creation): Promise<Accepted> {
  const transactions = creation.context.backend.submissions.transactions;
  if (transactions !== undefined) return settled(creation, createWithRecord(creation, transactions));
  return recordPreparing(creation, (lease, replayed) =>
    settled(creation, createUnder(creation, lease, replayed)),
  );
}

/**
 * Records the operation as `preparing` under a lease, then proceeds. After a crash, the next attempt takes over the
 * expired lease.
 */
async function recordPreparing(
  creation: Creation,
  proceed: (lease: Lease, replayed: boolean) => Promise<Accepted>,
): Promise<Accepted> {
  const { context } = creation;
  const { runtime, settings } = context;
  const token = runtime.newToken();
  const initial = { state: "preparing", token, leaseMs: settings.leaseMs } as const;
  const submission = { ...creation.submission, initial };
  const { operationId, replayed, operation } = await recordSubmission(context, { ...creation, submission });
  if (operation !== undefined) return settled(creation, continueWith(creation, operation));
  return proceed({ operationId, token }, replayed);
}

/**
 * Records the operation and creates the resource in one transaction (spec §4.1, 201). A crash leaves nothing
 * unfinished behind.
 */
async function createWithRecord(creation: Creation, transactions: Transactions<unknown>): Promise<Accepted> {
  const { context, submission } = creation;
  const { id: operationId } = submission.operation;
  const { onError, ...limits } = limitsOf(context);
  const stopping = new AbortController();
  let resource: JsonText | undefined;
  let thrown: { readonly error: unknown } | undefined;
  const create = async (tx: unknown): Promise<JsonText> => {
    try {
      resource = await runCreate(toCall(creation, operationId), stopping, limits, { tx });
      return resource;
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  let recorded: RecordResult;
  try {
    recorded = await transactions.record(submission, create, stopping.signal);
  } catch (error) {
    if (thrown === undefined) throw error;
    onError(thrown.error);
    return recordFailure(creation, thrown.error);
  }
  if (recorded.outcome !== "created")
    return continueWith(creation, earlierOperation(context, creation, recorded));
  const accepted = { operationId, replayed: false, ring: true };
  return resource === undefined ? accepted : { ...accepted, resource };
}

/** Records a permanent failure as a failed operation, because the rollback has removed every trace of it. */
async function recordFailure(creation: Creation, thrown: unknown): Promise<Accepted> {
  const error = permanentError(thrown);
  if (error === undefined) throw notRecorded(notCreated(0));
  return recordPreparing(creation, async (lease, replayed) => {
    const { operations } = creation.context.backend;
    const { onError } = limitsOf(creation.context);
    const { outcome } = await settleCreation(lease, { to: "failed", error }, { operations, onError });
    const accepted = await readAgain(creation, lease.operationId);
    if (outcome === "failed") countFailed(creation, accepted);
    return { ...accepted, replayed };
  });
}

/** Adds the time limit of the creation to that of the store. */
async function settled({ context }: Creation, work: Promise<Accepted>): Promise<Accepted> {
  try {
    return await storeAnswer(context, work, { extraMs: context.settings.createTimeoutMs });
  } catch (error) {
    throw asUncertain(error);
  }
}

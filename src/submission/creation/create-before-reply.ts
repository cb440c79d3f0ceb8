import type { JsonText } from "../../contract/operation.js";
import { atomicSubmissions, type Transactions } from "../../ports/backend.js";
import type { Lease } from "../../ports/operation-store.js";
import { earlierOperation } from "../earlier-operation.js";
import { type Accepted, asUncertain, recordSubmission } from "../record-submission.js";
import { storeAnswer } from "../store-answer.js";
import {
  type Creation,
  continueWith,
  createUnder,
  limitsOf,
  notCreated,
  readAgain,
  toCall,
} from "./creation.js";
import { recordWithResource } from "./record-with-resource.js";

/**
 * Creates the resource before the reply (spec §4.1, 201). A duplicate waits its turn (409).
 *
 * @throws AsyncReplyError `CREATION_IN_PROGRESS`, `CREATION_FAILED`, and what recording throws
 */
export function createBeforeReply(creation: Creation): Promise<Accepted> {
  const transactions = atomicSubmissions(creation.context.backend)?.transactions;
  if (transactions !== undefined) return settled(creation, createWithRecord(creation, transactions));
  return recordPreparing(creation, (lease, replayed) =>
    settled(creation, createUnder(creation, lease, replayed)),
  );
}

/** Records the operation as `preparing` under a lease, for what is to be done before it goes on; whoever finds a dead lease takes over. */
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

/** Records the operation and creates the resource in one transaction: there is nothing half-done to find. */
async function createWithRecord(creation: Creation, transactions: Transactions<unknown>): Promise<Accepted> {
  const { context, submission } = creation;
  const recorded = await recordWithResource(
    transactions,
    toCall(creation, submission.operation.id),
    submission,
    limitsOf(context),
  );
  if (recorded.outcome === "exists" || recorded.outcome === "in-progress")
    return continueWith(creation, earlierOperation(context, creation, recorded));
  if (recorded.outcome === "not-created") {
    if (recorded.error === undefined) throw notCreated(0);
    return recordFailure(creation, recorded.error);
  }
  const { resource } = recorded;
  const accepted = { operationId: submission.operation.id, replayed: false, announce: true };
  return resource === undefined ? accepted : { ...accepted, resource };
}

/** A failure that no repetition mends is recorded, as that of any work: what was rolled back left nothing to find. */
function recordFailure(creation: Creation, error: JsonText): Promise<Accepted> {
  return recordPreparing(creation, async (lease, replayed) => {
    await creation.context.backend.operations.settle(lease, { to: "failed", error });
    return { ...(await readAgain(creation, lease.operationId)), replayed };
  });
}

/** A creation has its own time on top of that of the store. */
async function settled({ context }: Creation, work: Promise<Accepted>): Promise<Accepted> {
  try {
    return await storeAnswer(context, work, context.settings.createTimeoutMs);
  } catch (error) {
    throw asUncertain(error);
  }
}

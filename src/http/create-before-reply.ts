import type { JsonText } from "../core/operation.js";
import { atomicSubmissions, type Transactions } from "../ports/backend.js";
import type { Lease } from "../ports/operation-store.js";
import { recordWithResource } from "../steps/record-with-resource.js";
import { type Creation, continueWith, createUnder, limitsOf, notCreated, readAgain } from "./creation.js";
import { type Accepted, asUncertain, keyReused, recordSubmission } from "./record-submission.js";
import { storeAnswer } from "./store-answer.js";

/**
 * Creates the resource before the reply (spec §4.1, 201). A duplicate waits its turn (409).
 *
 * @throws AsyncReplyError `CREATION_IN_PROGRESS`, `CREATION_FAILED`, and what recording throws
 */
export function createBeforeReply(creation: Creation): Promise<Accepted> {
  const transactions = atomicSubmissions(creation.service.backend)?.transactions;
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
  const { service, submission } = creation;
  const { runtime, settings } = service;
  const token = runtime.newToken();
  const initial = { state: "preparing", token, leaseMs: settings.leaseMs } as const;
  const recorded = await recordSubmission(service, { ...submission, initial });
  if (recorded.outcome === "replayed") return settled(creation, continueWith(creation, recorded.operation));
  return proceed({ operationId: recorded.operationId, token }, recorded.replayed);
}

/** Records the operation and creates the resource in one transaction: there is nothing half-done to find. */
async function createWithRecord(creation: Creation, transactions: Transactions<unknown>): Promise<Accepted> {
  const { service, definition, submission, output } = creation;
  const recorded = await recordWithResource(transactions, definition, output, submission, limitsOf(service));
  if (recorded.outcome === "exists") {
    if (recorded.fingerprint !== submission.fingerprint) throw keyReused(service, submission);
    return continueWith(creation, recorded.operation);
  }
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
    await creation.service.backend.operations.settle(lease, { to: "failed", error });
    return { ...(await readAgain(creation, lease.operationId)), replayed };
  });
}

/** A creation has its own time on top of that of the store. */
async function settled({ service }: Creation, work: Promise<Accepted>): Promise<Accepted> {
  try {
    return await storeAnswer(service, work, service.settings.createTimeoutMs);
  } catch (error) {
    throw asUncertain(error);
  }
}

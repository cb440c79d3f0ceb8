import { AsyncReplyError, notRecorded } from "../../../contract/errors.js";
import type { Operation } from "../../../contract/operation.js";
import type { AnyCreate } from "../../../ports/create.js";
import type { Lease } from "../../../ports/operation-store.js";
import { type Accepted, replayOf } from "../accepted.js";
import type { SubmissionContext } from "../context.js";
import type { CheckedSubmission } from "../earlier-operation.js";
import { createResource } from "./create-resource.js";
import type { CreateCall, CreateSettings } from "./run-create.js";

/** A submission whose resource is created before the reply. */
export interface Creation extends CheckedSubmission {
  readonly context: SubmissionContext;
}

/** Returns the outcome of an existing operation. If its creation was interrupted, takes it over. */
export async function continueWith(creation: Creation, operation: Operation): Promise<Accepted> {
  if (operation.state !== "preparing") return replayOf(operation);
  const { operations } = creation.context.backend;
  const { settings, runtime } = creation.context;
  const { name, limits, serialBy } = creation.definition;
  const lease: Lease = { operationId: operation.id, token: runtime.newToken() };
  // The operation may have become pending meanwhile, so the claim needs the limits too.
  const lanes = serialBy !== undefined;
  const definition = { name, slots: 1, leaseMs: settings.leaseMs, limits, lanes, suspects: 1 };
  const claimed = await operations.claim({
    token: lease.token,
    definitions: [definition],
    limit: 1,
    operationId: operation.id,
  });
  creation.context.minutes?.cancelled(claimed.ended);
  const [begun] = claimed.begun;
  if (begun === undefined) {
    const { nextInMs } = claimed;
    const error = nextInMs === undefined ? creationInProgress() : notRecorded(notCreated(nextInMs));
    return readAgain(creation, operation.id, error);
  }
  if (begun.operation.state === "preparing") return createUnder(creation, lease, true);
  // This attempt belongs to a worker. Release it.
  await operations.settle(lease, { to: "retry", delayMs: 0, countAttempt: false, started: false });
  return { ...replayOf(begun.operation), ring: true };
}

/** Creates the resource of a `preparing` operation under a lease. */
export async function createUnder(creation: Creation, lease: Lease, replayed: boolean): Promise<Accepted> {
  const { context } = creation;
  const { backend, settings } = context;
  const created = await createResource(toCall(creation, lease.operationId), lease, {
    operations: backend.operations,
    transactions: backend.submissions.transactions,
    leaseMs: settings.leaseMs,
    retryDelayMs: 0,
    ...limitsOf(context),
  });
  const { operationId } = lease;
  if (created.outcome === "created") return { operationId, replayed, ring: true, resource: created.resource };
  if (created.outcome === "not-created") throw replayed ? notRecorded(notCreated(0)) : notCreated(0);
  const accepted = await readAgain(creation, operationId);
  if (created.outcome === "failed") countFailed(creation, accepted);
  return { ...accepted, replayed: replayed || created.outcome === "lost" };
}

/** Counts an operation whose creation has failed, as it was read again. */
export function countFailed({ context }: Creation, { operation }: Accepted): void {
  if (operation !== undefined) context.minutes?.failed(operation);
}

/** Returns the `create` function of a submission with its arguments. */
export function toCall(
  { context, definition, submission, output }: Creation,
  operationId: string,
): CreateCall {
  const create = context.create[definition.name] as AnyCreate;
  return { create, input: output, operationId, tenant: submission.operation.tenant };
}

/** Returns the limits of a creation, and the callback for its errors. */
export function limitsOf({
  runtime,
  settings,
  observe,
}: SubmissionContext): CreateSettings & { readonly onError: (error: unknown) => void } {
  const { createTimeoutMs, maxResultBytes } = settings;
  const onError = (error: unknown): void =>
    observe({ event: "background.failed", step: "create-resource", error });
  return { clock: runtime.clock, createTimeoutMs, maxResultBytes, onError };
}

/**
 * Reads the operation again, and returns its outcome.
 *
 * @param error thrown if it is still preparing. Default: another submission is creating the resource.
 */
export async function readAgain(
  { context, submission }: Creation,
  id: string,
  error: AsyncReplyError = creationInProgress(),
): Promise<Accepted> {
  const operation = await context.backend.operations.get(id, submission.operation.tenant);
  if (operation === undefined || operation.state === "preparing") throw error;
  return replayOf(operation);
}

/** The error while an earlier submission with this key creates its resource, also if it was interrupted. */
export function creationInProgress(): AsyncReplyError {
  const detail =
    "An earlier request with this Idempotency-Key is creating the resource. Repeat this request unchanged.";
  return new AsyncReplyError("CREATION_IN_PROGRESS", detail, { recorded: "no" });
}

/** Returns the error for a `create` function that threw or exceeded its time limit. */
export function notCreated(dueInMs: number): AsyncReplyError {
  const detail = "The resource could not be created yet. Repeat the request with the same Idempotency-Key.";
  return new AsyncReplyError("CREATION_FAILED", detail, {
    retryAfterSeconds: Math.max(1, Math.ceil(dueInMs / 1_000)),
  });
}

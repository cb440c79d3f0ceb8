import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import type { Submission } from "../ports/backend.js";
import type { Lease } from "../ports/operation-store.js";
import { createResource } from "../steps/create-resource.js";
import type { Service } from "./context.js";
import { type Accepted, asUncertain, recordSubmission, replayOf } from "./record-submission.js";
import { storeAnswer } from "./store-answer.js";

/** A submission whose resource is created before the reply: what the 201 path carries along. */
interface Creation {
  readonly service: Service;
  readonly definition: OperationDefinition;
  readonly submission: Submission;
  /** What the schema makes of the payload. */
  readonly output: unknown;
}

/**
 * Records the operation as `preparing` under a lease, creates the resource, and only then makes it pending (spec §4.1,
 * 201). A duplicate waits its turn (409); whoever finds a dead lease takes over.
 *
 * @throws AsyncReplyError `CREATION_IN_PROGRESS`, `CREATION_FAILED`, and what recording throws
 */
export async function createBeforeReply(creation: Creation): Promise<Accepted> {
  const { service, submission } = creation;
  const { runtime, settings } = service;
  const token = runtime.newToken();
  const initial = { state: "preparing", token, leaseMs: settings.leaseMs } as const;
  const recorded = await recordSubmission(service, { ...submission, initial });
  if (recorded.outcome === "replayed") return settled(creation, continueWith(creation, recorded.operation));
  const { operationId, replayed } = recorded;
  return settled(creation, create(creation, { operationId, token }, replayed));
}

/** A creation has its own time on top of that of the store. */
async function settled({ service }: Creation, work: Promise<Accepted>): Promise<Accepted> {
  try {
    return await storeAnswer(service, work, service.settings.createTimeoutMs);
  } catch (error) {
    throw asUncertain(error);
  }
}

/** Answers from an operation that exists, or takes its creation over if nobody is at it. */
async function continueWith(creation: Creation, operation: Operation): Promise<Accepted> {
  if (operation.state !== "preparing") return replayOf(operation);
  const { operations } = creation.service.backend;
  const { settings, runtime } = creation.service;
  const lease: Lease = { operationId: operation.id, token: runtime.newToken() };
  const begun = await operations.beginAttempt(operation.id, {
    token: lease.token,
    leaseMs: settings.leaseMs,
  });
  if (begun.outcome === "busy") throw inProgress();
  if (begun.outcome === "not-due") throw notCreated(begun.dueInMs);
  if (begun.outcome !== "begun") return readAgain(creation, operation);
  if (begun.operation.state === "preparing") return create(creation, lease, true);
  // It became pending in between, so that this has begun its work: not ours to do.
  await operations.settle(lease, { to: "retry", delayMs: 0, countAttempt: false });
  return { ...replayOf(begun.operation), announce: true };
}

async function create(creation: Creation, lease: Lease, replayed: boolean): Promise<Accepted> {
  const { service, definition, submission, output } = creation;
  const { backend, runtime, settings, observe } = service;
  const created = await createResource(definition, output as never, lease, {
    operations: backend.operations,
    clock: runtime.clock,
    ...settings,
    retryDelayMs: 0,
    onError: (error) => observe({ event: "background.failed", step: "create-resource", error }),
  });
  const { operationId } = lease;
  if (created.outcome === "created")
    return { operationId, replayed, announce: true, resource: created.resource };
  if (created.outcome === "not-created") throw notCreated(0);
  const accepted = await readAgain(creation, { ...submission.operation, id: operationId });
  return { ...accepted, replayed: replayed || created.outcome === "lost" };
}

async function readAgain(
  { service }: Creation,
  { id, scope }: { readonly id: string; readonly scope: string },
): Promise<Accepted> {
  const operation = await service.backend.operations.get(id, scope);
  if (operation === undefined || operation.state === "preparing") throw inProgress();
  return replayOf(operation);
}

function inProgress(): AsyncReplyError {
  const detail =
    "An earlier request with this Idempotency-Key is creating the resource. Repeat the request unchanged.";
  return new AsyncReplyError("CREATION_IN_PROGRESS", detail);
}

function notCreated(dueInMs: number): AsyncReplyError {
  const detail = "The resource could not be created yet. Repeat the request with the same Idempotency-Key.";
  return new AsyncReplyError("CREATION_FAILED", detail, {
    retryAfterSeconds: Math.max(1, Math.ceil(dueInMs / 1_000)),
  });
}

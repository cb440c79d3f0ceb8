import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import { atomicSubmissions, type Submission } from "../ports/backend.js";
import type { Lease } from "../ports/operation-store.js";
import { createResource } from "../steps/create-resource.js";
import type { CreateLimits } from "../steps/run-create.js";
import type { Service } from "./context.js";
import { type Accepted, replayOf } from "./record-submission.js";

/** A submission whose resource is created before the reply: what the 201 path carries along. */
export interface Creation {
  readonly service: Service;
  readonly definition: OperationDefinition;
  readonly submission: Submission;
  /** What the schema makes of the payload. */
  readonly output: unknown;
}

/** Answers from an operation that exists, or takes its creation over if nobody is at it. */
export async function continueWith(creation: Creation, operation: Operation): Promise<Accepted> {
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
  if (begun.outcome !== "begun") return readAgain(creation, operation.id);
  if (begun.operation.state === "preparing") return createUnder(creation, lease, true);
  // It became pending in between, so that this has begun its work: not ours to do.
  await operations.settle(lease, { to: "retry", delayMs: 0, countAttempt: false });
  return { ...replayOf(begun.operation), announce: true };
}

/** Creates the resource of an operation that is `preparing`, under a lease. */
export async function createUnder(creation: Creation, lease: Lease, replayed: boolean): Promise<Accepted> {
  const { service, definition, output } = creation;
  const { backend, settings } = service;
  const created = await createResource(definition, output as never, lease, {
    operations: backend.operations,
    transactions: atomicSubmissions(backend)?.transactions,
    leaseMs: settings.leaseMs,
    retryDelayMs: 0,
    ...limitsOf(service),
  });
  const { operationId } = lease;
  if (created.outcome === "created")
    return { operationId, replayed, announce: true, resource: created.resource };
  if (created.outcome === "not-created") throw notCreated(0);
  const accepted = await readAgain(creation, operationId);
  return { ...accepted, replayed: replayed || created.outcome === "lost" };
}

/** How much a creation may take, and who is told what goes wrong in it. */
export function limitsOf({
  runtime,
  settings,
  observe,
}: Service): CreateLimits & { readonly onError: (error: unknown) => void } {
  const { createTimeoutMs, maxResultBytes } = settings;
  const onError = (error: unknown): void =>
    observe({ event: "background.failed", step: "create-resource", error });
  return { clock: runtime.clock, createTimeoutMs, maxResultBytes, onError };
}

/** Answers from what an operation has become. */
export async function readAgain({ service, submission }: Creation, id: string): Promise<Accepted> {
  const operation = await service.backend.operations.get(id, submission.operation.scope);
  if (operation === undefined || operation.state === "preparing") throw inProgress();
  return replayOf(operation);
}

function inProgress(): AsyncReplyError {
  const detail =
    "An earlier request with this Idempotency-Key is creating the resource. Repeat the request unchanged.";
  return new AsyncReplyError("CREATION_IN_PROGRESS", detail);
}

/** The reply where `create` threw or took too long. */
export function notCreated(dueInMs: number): AsyncReplyError {
  const detail = "The resource could not be created yet. Repeat the request with the same Idempotency-Key.";
  return new AsyncReplyError("CREATION_FAILED", detail, {
    retryAfterSeconds: Math.max(1, Math.ceil(dueInMs / 1_000)),
  });
}

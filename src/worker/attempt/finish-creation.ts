import type { OperationDefinition } from "../../contract/definition.js";
import { isAsyncReplyError } from "../../contract/errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import type { Operation } from "../../contract/operation.js";
import { operationError } from "../../contract/problem.js";
import { validateAs } from "../../contract/schema/validate-as.js";
import { atomicSubmissions, type Backend } from "../../ports/backend.js";
import type { AnyCreate } from "../../ports/create.js";
import type { Observer } from "../../ports/observer.js";
import type { Lease } from "../../ports/operation-store.js";
import type { Clock } from "../../ports/runtime.js";
import { createResource } from "../../submission/creation/create-resource.js";

const RETRY_DELAY_MS = 30_000;

/** What a worker finishes a creation with. */
export interface FinishCreationContext {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly observe: Observer;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly maxResultBytes: number;
  /** The age at which the submission is ended instead. Milliseconds. */
  readonly abandonAfterMs: number;
}

/**
 * Finishes a submission whose process died while it created the resource (spec §4.1, 201). The client may never ask again, so
 * the submission is ended if it keeps killing processes, or once it is older than `abandonAfterMs`.
 *
 * @returns whether the operation is pending now
 */
export async function finishCreation(
  definition: OperationDefinition,
  create: AnyCreate,
  operation: Operation,
  lease: Lease,
  context: FinishCreationContext,
): Promise<boolean> {
  const { backend, clock, observe, leaseMs } = context;
  const { operations } = backend;
  const { id: operationId, tenant } = operation;
  const onError = (error: unknown): void =>
    observe({ event: "background.failed", step: "create-resource", error });
  const tooOld = clock.now() - operation.createdAt > context.abandonAfterMs;
  if (tooOld || operation.attempt > context.maxAttempts) {
    const error = operationError("abandoned", "The resource could not be created, so no work was done.");
    const { outcome } = await operations.settle(lease, { to: "failed", error });
    if (outcome === "settled")
      observe({ event: "operation.abandoned", operationId, definition: definition.name });
    return false;
  }
  try {
    const input = await validateAs("INPUT_REFUSED", definition.input, parseStored(operation.input));
    const created = await createResource({ create, input, operationId, tenant }, lease, {
      operations,
      transactions: atomicSubmissions(backend)?.transactions,
      clock,
      leaseMs,
      maxResultBytes: context.maxResultBytes,
      createTimeoutMs: leaseMs,
      retryDelayMs: RETRY_DELAY_MS,
      onError,
    });
    return created.outcome === "created";
  } catch (error) {
    if (!isAsyncReplyError(error) || error.code !== "INPUT_REFUSED") throw error;
    // A newer worker may accept it.
    onError(error);
    await operations.settle(lease, { to: "retry", delayMs: RETRY_DELAY_MS, countAttempt: false });
    return false;
  }
}

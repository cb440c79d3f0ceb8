import { isAsyncReplyError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import { operationError } from "../core/problem.js";
import { atomicSubmissions } from "../ports/backend.js";
import type { Lease } from "../ports/operation-store.js";
import { createResource } from "../steps/create-resource.js";
import { validateStored, type Work } from "./attempt.js";
import type { WorkerContext } from "./context.js";

const RETRY_DELAY_MS = 30_000;

/**
 * Finishes a submission whose process died while it created the resource (spec §4.1, 201). Nobody may ever ask again, so
 * that it is ended when it keeps killing processes, or after the time of an abandoned submission.
 *
 * @returns whether the operation is pending now
 */
export async function finishCreation(
  { definition }: Work,
  operation: Operation,
  lease: Lease,
  { backend, runtime, settings, observe }: WorkerContext,
): Promise<boolean> {
  const { operations } = backend;
  const { clock } = runtime;
  const abandon = async (): Promise<boolean> => {
    const error = operationError("abandoned", "The resource could not be created, so no work was done.");
    const { outcome } = await operations.settle(lease, { to: "failed", error });
    if (outcome === "settled")
      observe({ event: "operation.abandoned", operationId: operation.id, definition: definition.name });
    return false;
  };
  const tooOld = clock.now() - operation.createdAt > settings.abandonAfterMs;
  if (tooOld || operation.attempt > settings.maxAttempts) return abandon();
  try {
    const input = await validateStored(definition, operation.input);
    const created = await createResource(definition, input, lease, {
      operations,
      transactions: atomicSubmissions(backend)?.transactions,
      clock,
      ...settings,
      createTimeoutMs: settings.leaseMs,
      retryDelayMs: RETRY_DELAY_MS,
      onError: (error) => observe({ event: "background.failed", step: "create-resource", error }),
    });
    return created.outcome === "created";
  } catch (error) {
    if (isAsyncReplyError(error) && error.code === "INPUT_REFUSED") return abandon();
    throw error;
  }
}

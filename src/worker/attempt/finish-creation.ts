import { isAsyncReplyError } from "../../contract/errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import { operationError } from "../../contract/problem.js";
import { validateAs } from "../../contract/schema.js";
import { createResource } from "../../operations/submission/creation/create-resource.js";
import type { AnyCreate } from "../../ports/create.js";
import { attemptEvent, type BegunAttempt, reportError, type WorkerContext } from "../context.js";
import type { CheckedProcessor } from "../processors.js";

const RETRY_DELAY_MS = 30_000;

/**
 * Finishes a submission whose process died while it created the resource (spec §4.1, 201). The client may never retry,
 * so this ends the submission if it keeps crashing processes, or once it is older than `abandonAfterMs`.
 *
 * @returns whether the operation is now pending
 */
export async function finishCreation(
  { definition, settings }: CheckedProcessor,
  create: AnyCreate,
  { lease, operation }: BegunAttempt,
  context: WorkerContext,
): Promise<boolean> {
  const { backend, runtime, observe, minutes } = context;
  const { operations } = backend;
  const { clock } = runtime;
  const { leaseMs, maxAttempts, maxResultBytes } = settings;
  const { id: operationId, tenant } = operation;
  const onError = (error: unknown): void => reportError(context, "create-resource", error);
  const tooOld = clock.now() - operation.createdAt > context.settings.abandonAfterMs;
  if (tooOld || operation.attempt > maxAttempts) {
    const error = operationError("abandoned", "The resource could not be created, so no work was done.");
    const { outcome } = await operations.settle(lease, { to: "failed", error });
    if (outcome === "settled") {
      const { attempt: _, ...event } = attemptEvent("operation.abandoned", operation);
      observe(event);
      minutes?.failed(operation);
    }
    return false;
  }
  try {
    const input = await validateAs("INPUT_REFUSED", definition.input, parseStored(operation.input));
    const created = await createResource({ create, input, operationId, tenant }, lease, {
      operations,
      transactions: backend.submissions.transactions,
      clock,
      leaseMs,
      maxResultBytes,
      createTimeoutMs: leaseMs,
      retryDelayMs: RETRY_DELAY_MS,
      onError,
    });
    if (created.outcome === "failed") minutes?.failed(operation);
    return created.outcome === "created";
  } catch (error) {
    if (!isAsyncReplyError(error) || error.code !== "INPUT_REFUSED") throw error;
    // A newer worker may accept it.
    onError(error);
    await operations.settle(lease, { to: "retry", delayMs: RETRY_DELAY_MS, countAttempt: false });
    return false;
  }
}

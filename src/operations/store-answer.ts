import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { isOperationId, type Operation } from "../contract/operation.js";
import { withinTime } from "../platform/waits.js";
import type { OperationsContext } from "./context.js";

/** Options of {@link storeAnswer}. */
interface AnswerOptions {
  /** Added to the time limit. Milliseconds. Default: 0. */
  readonly extraMs?: number;
  /** Returns the error when the time is over. Default: {@link notInTime}. */
  readonly tooLate?: () => AsyncReplyError;
}

/**
 * Waits for a store call for at most `recordTimeoutMs`, so no request hangs.
 *
 * Throws `STORE_UNAVAILABLE`.
 */
export async function storeAnswer<T>(
  { settings, runtime }: Pick<OperationsContext, "settings" | "runtime">,
  call: Promise<T>,
  { extraMs = 0, tooLate = notInTime }: AnswerOptions = {},
): Promise<T> {
  let early: { readonly value: T } | undefined;
  call.then((value) => {
    early = { value };
  }, ignore);
  await undefined;
  // A store in memory has answered by now, so the call needs no timer.
  if (early !== undefined) return early.value;
  return withinTime(call, settings.recordTimeoutMs + extraMs, runtime.clock, tooLate);
}

/**
 * Returns an operation of this tenant, unless clients do not know of it yet. Malformed ids never reach a store.
 *
 * Throws `STORE_UNAVAILABLE`.
 */
export async function readOperation(
  context: OperationsContext,
  id: string,
  tenant: string,
): Promise<Operation | undefined> {
  if (!isOperationId(id)) return undefined;
  const operation = await storeAnswer(context, context.backend.operations.get(id, tenant));
  return operation?.state === "preparing" ? undefined : operation;
}

/** Handles the error of a call whose promise the caller also awaits. */
export function ignore(): void {}

/** Returns the error for a store call that exceeded its time limit. */
export function notInTime(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time.");
}

/**
 * Turns a store failure during recording into `SUBMISSION_UNCERTAIN`, which tells the client that repeating the
 * request with its key is safe. If the store is certain that nothing was recorded, the code stays and the event says
 * so. Returns any other error unchanged.
 */
export function asUncertain(error: unknown): unknown {
  if (!isAsyncReplyError(error)) return error;
  const { code, context } = error;
  if (code !== "STORE_UNAVAILABLE" && code !== "OVERLOADED") return error;
  if (context.recorded === "no") {
    const eventDetail = `${context.eventDetail ?? error.detail} Nothing was recorded.`;
    return new AsyncReplyError(code, error.detail, { ...context, eventDetail });
  }
  const detail =
    "The request may have been accepted. To get the same operation, repeat it with the same Idempotency-Key.";
  return new AsyncReplyError("SUBMISSION_UNCERTAIN", detail, { cause: error });
}

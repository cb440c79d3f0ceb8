import { type AttemptError, attemptErrorsIn } from "../contract/attempt-errors.js";
import { parseStored } from "../contract/json/json-text.js";
import type { JsonText, Operation, OperationState } from "../contract/operation.js";
import type { Problem } from "../contract/problem.js";
import type { ListedOperation } from "../ports/operation-store.js";

/** An operation in a list, without its payloads. Times are epoch milliseconds. */
export interface OperationSummary {
  /** Id of the operation. */
  readonly operationId: string;
  /** Tenant that owns the operation. */
  readonly tenant: string;
  /** Name of its definition. */
  readonly definition: string;
  /** State of the operation. */
  readonly state: OperationState;
  /** Number of attempts so far. Released attempts do not count. */
  readonly attempt: number;
  /** When the operation was accepted. */
  readonly createdAt: number;
  /** When the operation ended. Absent until then. */
  readonly finishedAt?: number;
  /** How long the operation is kept after its end. Milliseconds. */
  readonly retentionMs: number;
  /** How long it is kept if it fails. Milliseconds. Absent if that is `retentionMs`. */
  readonly failedRetentionMs?: number;
  /** Idempotency key, if the operation has one. */
  readonly key?: string;
  /** `true` if the operation is pending and its cancellation was requested. */
  readonly cancelRequested?: true;
  /** `true` if no tenant can see the operation, such as a follow-up. */
  readonly hidden?: boolean;
  /** Why the operation failed, as its client sees it. */
  readonly error?: Problem;
  /** Why the latest attempt failed. Clients do not see it. */
  readonly lastError?: Problem;
  /** Id of the failed operation that this one runs again. */
  readonly retryOf?: string;
  /** Id of the operation that runs this failed one again. */
  readonly retriedBy?: string;
}

/** An operation with its payloads, which may be confidential. */
export interface OperationDetails extends OperationSummary {
  /** Input that the client submitted. */
  readonly input: unknown;
  /** Result that the processor returned. */
  readonly result?: unknown;
  /** Latest progress that the processor reported. */
  readonly progress?: unknown;
  /** Resource that was created before the reply: `{ body, location? }`. */
  readonly resource?: unknown;
  /** Metadata that the operation carries, such as trace context. */
  readonly meta?: unknown;
  /** Why the latest attempts failed, newest first: up to 10. Clients do not see it. */
  readonly attemptErrors: readonly AttemptError[];
  /** Id of the operation that is created when this one ends, such as the delivery of a webhook. */
  readonly followUpId?: string;
}

/**
 * Converts a listed operation to its public form.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function toSummary(operation: ListedOperation): OperationSummary {
  const { id: operationId, tenant, definition, state, attempt, createdAt, retentionMs } = operation;
  const { failedRetentionMs, settledAt: finishedAt, key, hidden, error, lastError } = operation;
  const { retryOf, retriedBy } = operation;
  return {
    operationId,
    tenant,
    definition,
    state,
    attempt,
    createdAt,
    retentionMs,
    ...present({ failedRetentionMs, finishedAt, key, hidden, retryOf, retriedBy }),
    ...(state === "pending" && operation.cancelRequested === true ? { cancelRequested: true } : {}),
    ...present({ error: parsed(error) as Problem, lastError: toProblem(lastError) }),
  };
}

/**
 * Converts an operation with its payloads to its public form.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function toDetails(operation: Operation): OperationDetails {
  const { input, result, progress, resource, meta, lastError, onEnd } = operation;
  const payloads = { result, progress, resource, meta };
  const texts = Object.entries(present(payloads));
  return {
    ...toSummary(operation),
    input: parseStored(input),
    ...Object.fromEntries(texts.map(([name, text]) => [name, parseStored(text)])),
    attemptErrors: attemptErrorsIn(lastError),
    ...present({ followUpId: onEnd?.id }),
  };
}

/** Returns the problem of the latest attempt without the attempts before it. */
function toProblem(lastError: JsonText | undefined): Problem | undefined {
  if (lastError === undefined) return undefined;
  const { type, title, detail } = parseStored(lastError) as Problem;
  return { type, title, ...present({ detail }) };
}

function parsed(text: JsonText | undefined): unknown {
  return text === undefined ? undefined : parseStored(text);
}

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Leaves out members that are undefined. */
function present<Members extends object>(members: Members): Present<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<Members>;
}

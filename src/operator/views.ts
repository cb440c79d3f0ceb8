import { parseStored } from "../contract/json/json-text.js";
import { DEFAULT_URGENCY, type JsonText, type OperationStatus } from "../contract/operation.js";
import { present } from "../contract/present.js";
import { type Problem, shownProblem } from "../contract/problem.js";
import { toDate, toVisibleSummary } from "../contract/visible-operation.js";
import type { InspectedOperation, ListedOperation } from "../ports/operation-reads.js";
import { attemptsOf, type OperationAttempt } from "./attempts.js";

/**
 * Status of an operation as operators see it. `preparing`: its resource is being created before the reply. Clients do not
 * see such an operation, and lists leave it out unless they are `internal`.
 */
export type OperatorStatus = "preparing" | OperationStatus;

/** An operation in a list, without its payloads. */
export interface OperationSummary {
  /** Id of the operation. */
  readonly operationId: string;
  /** Tenant that owns the operation. */
  readonly tenant: string;
  /** Name of its definition. */
  readonly definition: string;
  /** Id of the principal who submitted it. Absent if code did and named none. */
  readonly principal?: string;
  /** Status of the operation. */
  readonly status: OperatorStatus;
  /** Order in which its work begins if more is due than workers have slots: 0 first, 7 last. */
  readonly urgency: number;
  /** Number of attempts so far. Released attempts do not count. */
  readonly attempt: number;
  /** When the operation was accepted. */
  readonly createdAt: Date;
  /** When the operation ended. Absent until then. */
  readonly finishedAt?: Date;
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
  /** The last attempts, at most 20, oldest first. Clients do not see them. */
  readonly attempts: readonly OperationAttempt[];
  /** When the operation is due next, or was due. Absent while an attempt runs, once it has ended, and if its store does not tell. */
  readonly dueAt?: Date;
  /** Id of the operation that is created when this one ends, such as the delivery of a webhook. */
  readonly followUpId?: string;
  /** `true` if `Operator.output` reads what the work writes. */
  readonly hasOutput?: true;
  /** When the work saved its last checkpoint. Absent without one. */
  readonly lastCheckpointAt?: Date;
}

/**
 * Converts a listed operation to its public form.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function toSummary(operation: ListedOperation): OperationSummary {
  const { tenant, retentionMs, principal, failedRetentionMs, key, hidden, retryOf, retriedBy } = operation;
  const { urgency = DEFAULT_URGENCY } = operation;
  const lastError = toProblem(operation.lastError);
  return {
    ...toVisibleSummary(operation, toDate),
    tenant,
    urgency,
    retentionMs,
    ...present({ principal, failedRetentionMs, key, hidden, retryOf, retriedBy, lastError }),
  };
}

/**
 * Converts an operation with its payloads to its public form.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function toDetails(inspected: InspectedOperation): OperationDetails {
  const { operation, token, dueAt } = inspected;
  const { input, result, progress, resource, meta, onEnd } = operation;
  const texts = Object.entries(present({ result, progress, resource, meta }));
  return {
    ...toSummary(operation),
    input: parseStored(input),
    ...Object.fromEntries(texts.map(([name, text]) => [name, parseStored(text)])),
    attempts: attemptsOf(inspected),
    ...present({
      dueAt: token === undefined && dueAt !== undefined ? toDate(dueAt) : undefined,
      followUpId: onEnd?.id,
    }),
  };
}

/** Returns the problem of the latest attempt without the attempts before it. */
function toProblem(lastError: JsonText | undefined): Problem | undefined {
  if (lastError === undefined) return undefined;
  const { type, title, detail } = parseStored(lastError) as Problem;
  return shownProblem({ type, title, ...present({ detail }) });
}

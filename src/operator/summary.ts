import { parseStored } from "../contract/json/json-text.js";
import { DEFAULT_URGENCY, type JsonText, type OperationStatus } from "../contract/operation.js";
import { present } from "../contract/options.js";
import { type Problem, shownProblem } from "../contract/problem.js";
import { toDate, toVisibleSummary } from "../contract/visible-operation.js";
import type { ListedOperation } from "../ports/operation-reads.js";

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

/** Returns the problem of the latest attempt without the attempts before it. */
function toProblem(lastError: JsonText | undefined): Problem | undefined {
  if (lastError === undefined) return undefined;
  const { type, title, detail } = parseStored(lastError) as Problem;
  return shownProblem({ type, title, ...present({ detail }) });
}

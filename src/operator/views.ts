import { parseStored } from "../contract/json/json-text.js";
import type { JsonText, Operation, OperationState } from "../contract/operation.js";
import type { Problem } from "../contract/problem.js";
import type { ListedOperation } from "../ports/operation-store.js";

/** An operation in a list, without its payloads. Times are epoch milliseconds. */
export interface OperationSummary {
  /** Its id. */
  readonly operationId: string;
  /** Owner of the operation. */
  readonly tenant: string;
  /** Name of its definition. */
  readonly definition: string;
  /** Where it stands. */
  readonly state: OperationState;
  /** Attempts begun and not given back. */
  readonly attempt: number;
  /** When it was accepted. */
  readonly createdAt: number;
  /** When it ended. Absent until then. */
  readonly finishedAt?: number;
  /** How long it is kept after its end. Milliseconds. */
  readonly retentionMs: number;
  /** Its idempotency key, if it has one. */
  readonly key?: string;
  /** `true` if no tenant can see it, as with follow-ups. */
  readonly hidden?: boolean;
  /** Why it failed, as its client reads it. */
  readonly error?: Problem;
  /** Why the latest attempt is tried again. Not for clients. */
  readonly lastError?: Problem;
  /** The failed operation that this one runs again. */
  readonly retryOf?: string;
  /** The operation that runs this failed one again. */
  readonly retriedBy?: string;
}

/** An operation with its payloads, which may be confidential. */
export interface OperationDetails extends OperationSummary {
  /** What the client submitted. */
  readonly input: unknown;
  /** What the processor returned. */
  readonly result?: unknown;
  /** The latest progress reported by the processor. */
  readonly progress?: unknown;
  /** What was created before the reply: `{ body, location? }`. */
  readonly resource?: unknown;
  /** What was carried along with the operation, such as trace context. */
  readonly meta?: unknown;
}

/** @throws AsyncReplyError `CORRUPT_RECORD` */
export function toSummary(operation: ListedOperation): OperationSummary {
  const { id: operationId, tenant, definition, state, attempt, createdAt, retentionMs } = operation;
  const { settledAt: finishedAt, key, hidden, error, lastError, retryOf, retriedBy } = operation;
  return {
    operationId,
    tenant,
    definition,
    state,
    attempt,
    createdAt,
    retentionMs,
    ...present({ finishedAt, key, hidden, retryOf, retriedBy }),
    ...present({ error: parsed(error) as Problem, lastError: parsed(lastError) as Problem }),
  };
}

/** @throws AsyncReplyError `CORRUPT_RECORD` */
export function toDetails(operation: Operation): OperationDetails {
  const { input, result, progress, resource, meta } = operation;
  const payloads = { result, progress, resource, meta };
  const texts = Object.entries(present(payloads));
  return {
    ...toSummary(operation),
    input: parseStored(input),
    ...Object.fromEntries(texts.map(([name, text]) => [name, parseStored(text)])),
  };
}

function parsed(text: JsonText | undefined): unknown {
  return text === undefined ? undefined : parseStored(text);
}

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Leaves out what is undefined. */
function present<Members extends object>(members: Members): Present<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<Members>;
}

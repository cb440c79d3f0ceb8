/** JSON as text. Stores keep it unchanged and never look inside. */
export type JsonText = string;

/** Status that clients see (spec §3). */
export type OperationStatus = "pending" | "completed" | "failed";

/**
 * State that stores keep. A `preparing` operation is waiting for the creation of its resource before the reply (the
 * 201 of spec §4.1). Clients do not see it until it is `pending` or `failed`.
 */
export type OperationState = "preparing" | OperationStatus;

/**
 * Hidden operation that the store creates when another operation of the same tenant ends, in the same commit and for
 * every kind of end. Its id is chosen when the other operation is accepted, so a repeated end does not create a second
 * one. It is due at once.
 */
export interface FollowUp {
  /** UUID. If an operation with this id exists, nothing is created. */
  readonly id: string;
  /** Name of the definition that processes it. */
  readonly definition: string;
  /**
   * Input of the follow-up, in RFC 8785 form. May contain the id of the other operation. A store that gives the other
   * operation the id of an earlier binding replaces it.
   */
  readonly input: JsonText;
  /** How long the follow-up is kept after it ends. Milliseconds. */
  readonly retentionMs: number;
  /** How long it is kept if it fails. Milliseconds. Default: `retentionMs`. */
  readonly failedRetentionMs?: number;
}

/** Arguments for creating an operation. All times are durations, because the clock belongs to the store. */
export interface NewOperation {
  /** UUID v7. The caller chooses it, so a repeated creation means the same operation. */
  readonly id: string;
  /** Owner of the operation and its key. Only this tenant can read it. */
  readonly tenant: string;
  /** Name of the definition that processes it. */
  readonly definition: string;
  /**
   * `id` of the principal who submitted it. Clients never see it. Default: none, if code submitted it and named no
   * principal.
   */
  readonly principal?: string;
  /** Parsed payload of the client, in RFC 8785 form. */
  readonly input: JsonText;
  /** How long the operation and its key are kept after the operation ends. Milliseconds. */
  readonly retentionMs: number;
  /**
   * How long both are kept if the operation fails, also if it is cancelled or created as failed. Milliseconds. Default:
   * `retentionMs`.
   */
  readonly failedRetentionMs?: number;
  /** Idempotency key. Released when the operation is purged. Default: none. */
  readonly key?: string;
  /**
   * Time from the creation until the operation is due. Milliseconds, at most 100 years. Default: due at once.
   */
  readonly delayMs?: number;
  /**
   * Time within which the work must start, counted from when the operation is due for the first time. If it is
   * `preparing`, it is due for the first time once it is `pending` and its delay is over. An operation that has not started by
   * then fails with the problem `expired`. Milliseconds, at most 100 years. Default: no limit.
   */
  readonly startWithinMs?: number;
  /** Id of the failed operation that this one runs again. Default: none. */
  readonly retryOf?: string;
  /** Data that stores keep and return unchanged, such as trace context. Default: none. */
  readonly meta?: JsonText;
  /** Follow-up that the store creates when this operation ends. Default: none. */
  readonly onEnd?: FollowUp;
  /** Order in which work begins if more is due than workers have slots: 0 first, 7 last (RFC 9218 §4.1). Default: 3. */
  readonly urgency?: number;
  /**
   * Operations of one tenant and definition with the same lane run one at a time, in the order of their creation. 1 to 255
   * UTF-16 code units, well formed and without NUL. Default: none.
   */
  readonly lane?: string;
  /**
   * Whether the operation is internal. `get` and the lists of tenants do not return hidden operations. Default: false.
   */
  readonly hidden?: boolean;
}

/** Urgency of an operation that names none (RFC 9218 §4.1). */
export const DEFAULT_URGENCY = 3;

/** Gives a new operation the id that its key is bound to, also in the input of its follow-up. */
export function withId(operation: NewOperation, id: string): NewOperation {
  const { onEnd } = operation;
  if (onEnd === undefined) return { ...operation, id };
  return { ...operation, id, onEnd: { ...onEnd, input: onEnd.input.replaceAll(operation.id, id) } };
}

/** Operation as a store returns it: a copy that later changes do not affect. */
export interface Operation extends Omit<NewOperation, "delayMs"> {
  /** Current state. After it is terminal, nothing of the operation changes except `retriedBy`. */
  readonly state: OperationState;
  /** Number of attempts that have begun. Attempts that ended with `countAttempt: false` do not count. */
  readonly attempt: number;
  /** Time of creation by the store's clock. Epoch milliseconds. */
  readonly createdAt: number;
  /** Time of the end by the store's clock, if the state is terminal. Epoch milliseconds. */
  readonly settledAt?: number;
  /** Resource that a 201 shows. Has the form `{ body, location? }`. */
  readonly resource?: JsonText;
  /** The latest progress reported by the processor. */
  readonly progress?: JsonText;
  /** Whether cancellation was requested while an attempt was running. */
  readonly cancelRequested?: boolean;
  /** Return value of the processor. Absent if it returned nothing or the operation is not `completed`. */
  readonly result?: JsonText;
  /** Problem as defined by RFC 9457, without `status`, if the operation is `failed`. */
  readonly error?: JsonText;
  /**
   * Reason why the latest attempt failed, with those of the attempts before it. For operators and workers, never for
   * clients.
   */
  readonly lastError?: JsonText;
  /** Id of the operation that runs this failed one again. */
  readonly retriedBy?: string;
}

/** Returns how long an operation and its key are kept after the operation ended in this state. Milliseconds. */
export function keptMs({
  state,
  retentionMs,
  failedRetentionMs = retentionMs,
}: Pick<Operation, "state" | "retentionMs" | "failedRetentionMs">): number {
  return state === "failed" ? failedRetentionMs : retentionMs;
}

/**
 * Returns whether a value is an id that this package could have created (a UUID in lower case). Other ids are unknown
 * without asking a store.
 */
export function isOperationId(value: unknown): value is string {
  return (
    typeof value === "string" && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value)
  );
}

/** Returns whether a state is terminal. A terminal state never changes (spec §3). */
export function isTerminal(state: OperationState): state is "completed" | "failed" {
  return state === "completed" || state === "failed";
}

/**
 * How an attempt ends. Only the holder of the attempt's lease can settle it.
 *
 * - `completed`, `failed`: The operation ends.
 * - `retry`: The operation keeps its state and is due again in `delayMs`. With `countAttempt: false` the attempt
 *   leaves no trace, as if it had never begun. If cancellation was requested, the operation fails with the problem
 *   `cancelled` instead.
 *
 *   In these three, `progress` is the last progress of the attempt that is not written yet. Default: unchanged.
 * - `prepared`: A `preparing` operation becomes `pending`, with 0 attempts. It is due at once, or after its `delayMs`.
 */
export type Settlement =
  | { readonly to: "completed"; readonly result?: JsonText; readonly progress?: JsonText }
  | {
      readonly to: "failed";
      readonly error: JsonText;
      readonly progress?: JsonText;
      /** Replaces the `lastError` of the operation. Default: unchanged. */
      readonly lastError?: JsonText;
    }
  | {
      readonly to: "retry";
      readonly delayMs: number;
      readonly countAttempt: boolean;
      /** Whether the processor had started. If not, the operation can still expire. Default: true. */
      readonly started?: boolean;
      readonly progress?: JsonText;
      /** Replaces the `lastError` of the operation. Default: unchanged. */
      readonly lastError?: JsonText;
    }
  | { readonly to: "prepared"; readonly resource: JsonText };

/**
 * Returns the state that a settlement leads to, or undefined if there is no such transition (spec §3). This is the
 * only table of transitions. Every store calls it, or expresses it as a condition.
 */
export function transition(
  from: OperationState,
  settlement: Settlement["to"],
  cancelRequested = false,
): OperationState | undefined {
  if (isTerminal(from)) return undefined;
  if (settlement === "completed") return from === "pending" ? "completed" : undefined;
  if (settlement === "failed") return "failed";
  if (settlement === "prepared") return from === "preparing" ? "pending" : undefined;
  return cancelRequested ? "failed" : from;
}

/** Start of an attempt, and the worker that ran it. */
export interface AttemptStart {
  /** When the attempt began, by the clock of its worker. Epoch milliseconds. */
  readonly startedAt: number;
  /** Random id of the worker: 8 hexadecimal digits. */
  readonly process: string;
}

/** Lengths of the id of a worker and of the random end of a token, in hexadecimal digits. */
const PROCESS_LENGTH = 8;
const RANDOM_LENGTH = 12;
const TIME_LENGTH = 12;

/** Returns the id of a worker, from a random text. */
export function processOf(random: string): string {
  return random.slice(0, PROCESS_LENGTH);
}

/**
 * Returns a token that tells when its attempts began and which worker runs them. So an attempt costs no write for that. The hyphens
 * tell it from the tokens of older workers, which are random digits.
 */
export function attemptToken({ startedAt, process }: AttemptStart, random: string): string {
  const time = Math.trunc(startedAt).toString(16).padStart(TIME_LENGTH, "0");
  return `${time}-${process}-${random.slice(-RANDOM_LENGTH)}`;
}

/** Reads a token that {@link attemptToken} returned. Returns undefined for any other text, such as a token of an older worker. */
export function readAttemptToken(token: string | undefined): AttemptStart | undefined {
  const [, time, process] = FORM.exec(token ?? "") ?? [];
  if (time === undefined || process === undefined) return undefined;
  return { startedAt: Number.parseInt(time, 16), process };
}

const FORM = /^([0-9a-f]{12})-([0-9a-f]{8})-[0-9a-f]{12}$/;

/** Rule for tenants that lets every store keep them and tell them apart. */
export const TENANT_RULE = "A tenant is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/** Rule for ids of principals, which are stored like tenants. */
export const PRINCIPAL_RULE =
  "The id of a principal is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";

/**
 * Returns what is wrong with a tenant, with the id of a principal or with a lane, or undefined. Does not quote it, because
 * it may be long or a secret.
 */
export function tenantProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return `is ${value === undefined ? value : `a ${typeof value}`}`;
  if (value === "" || value.length > 255) return `has ${value.length} characters`;
  if (value.includes("\0")) return "contains NUL";
  return value.isWellFormed() ? undefined : "contains a lone surrogate";
}

/** JSON as text. Stores keep it as it is: they never look inside what a user's schema describes. */
export type JsonText = string;

/** What a client sees (spec §3). */
export type OperationStatus = "pending" | "completed" | "failed";

/**
 * What a store keeps. `preparing` is an operation whose resource is being created before the reply
 * (the 201 of spec §4.1); it is hidden from clients until it is `pending` or `failed`.
 */
export type OperationState = "preparing" | OperationStatus;

/**
 * A hidden operation of the same tenant that the store creates when another one ends, in the same commit, whichever way it
 * ends. Its id is chosen when the first one is accepted, so a repeated end creates no second one. It is due at once. No caller
 * announces it, so `takeDue` hands it out at once too.
 */
export interface FollowUp {
  /** UUID. If the id exists already, nothing is created. */
  readonly id: string;
  /** Name of the definition that processes it. */
  readonly definition: string;
  /** Input of the follow-up, in RFC 8785 form. */
  readonly input: JsonText;
  /** How long it is kept after its end. Milliseconds. */
  readonly retentionMs: number;
}

/** What a caller passes to a store to create an operation. Durations only: the store has the clock. */
export interface NewOperation {
  /** UUID v7, chosen by the caller, so that a repeated creation names the same operation. */
  readonly id: string;
  /** Owner of the operation and its key. Only this tenant can read it. */
  readonly tenant: string;
  /** Name of the definition that says how to process it. */
  readonly definition: string;
  /** The client's payload as parsed, in RFC 8785 form. */
  readonly input: JsonText;
  /** How long the operation and its key are kept after the terminal state. Milliseconds. */
  readonly retentionMs: number;
  /** The idempotency key that is released when the operation is purged. */
  readonly key?: string;
  /**
   * How long after its creation the operation becomes due. `takeDue` hands it out then, not 30 s later. Milliseconds, up to
   * 100 years. Default: due at once.
   */
  readonly delayMs?: number;
  /** The failed operation that this one runs again. */
  readonly retryOf?: string;
  /** Carried and returned unchanged, never interpreted: for trace context. */
  readonly meta?: JsonText;
  /** What the store creates when this operation ends. */
  readonly onEnd?: FollowUp;
  /** Hidden operations are internal: `get` and tenants' lists do not find them. */
  readonly hidden?: boolean;
}

/** An operation as a store returns it: a copy, which later changes do not touch. */
export interface Operation extends Omit<NewOperation, "delayMs"> {
  /** Where it stands. Once it is terminal, nothing of the operation changes except `retriedBy`. */
  readonly state: OperationState;
  /** Attempts begun and not given back. */
  readonly attempt: number;
  /** Epoch milliseconds of the store's clock. */
  readonly createdAt: number;
  /** Epoch milliseconds of the store's clock, once the state is terminal. */
  readonly settledAt?: number;
  /** Of the form `{ body, location? }`: what a 201 shows. */
  readonly resource?: JsonText;
  /** The latest progress reported by the processor. */
  readonly progress?: JsonText;
  /** What the processor returned, if it returned something and the operation is `completed`. */
  readonly result?: JsonText;
  /** A problem in the sense of RFC 9457 without `status`. */
  readonly error?: JsonText;
  /** Why the latest attempt is tried again. For operators and workers, never for clients. */
  readonly lastError?: JsonText;
  /** The operation that runs this failed one again. */
  readonly retriedBy?: string;
}

/** Whether this is an id that this package gives (UUID, lower case): all others are unknown without asking a store. */
export function isOperationId(value: unknown): value is string {
  return (
    typeof value === "string" && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value)
  );
}

/** A terminal state never changes (spec §3). */
export function isTerminal(state: OperationState): state is "completed" | "failed" {
  return state === "completed" || state === "failed";
}

/**
 * How an attempt ends. Only the holder of the attempt's lease can settle it.
 *
 * - `completed`, `failed`: terminal.
 * - `retry`: due again `delayMs` from now, in the state it was in. With `countAttempt: false` the attempt is given back:
 *   it leaves no trace, as if it had never begun. Ends as `failed` with the problem `cancelled` if cancel was requested.
 * - `prepared`: from `preparing` to `pending`, due at once or when its `delayMs` has passed, its attempts at 0.
 */
export type Settlement =
  | { readonly to: "completed"; readonly result?: JsonText }
  | { readonly to: "failed"; readonly error: JsonText }
  | {
      readonly to: "retry";
      readonly delayMs: number;
      readonly countAttempt: boolean;
      /** Replaces the `lastError` of the operation. Default: it stays as it is. */
      readonly lastError?: JsonText;
    }
  | { readonly to: "prepared"; readonly resource: JsonText };

/**
 * The state that a settlement leads to, or undefined where the transition does not exist (spec §3).
 * The one table of transitions; every store asks it or states the same as one condition.
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

import type { JsonText, NewOperation, Operation, OperationState, Settlement } from "../contract/operation.js";
import type { Claimed, ClaimRequest, DueOperation, RunningLimits } from "./claim.js";
import type { DefinitionStats, ListedOperation, ListRequest, PendingRequest } from "./operation-reads.js";

/** The right to work on one operation. The caller chooses the token: see {@link OperationStore.beginAttempt}. */
export interface Lease {
  /** Id of the operation. A token is only valid together with it. */
  readonly operationId: string;
  /** Random and never reused. It fences off every earlier holder of the operation. */
  readonly token: string;
}

/** Parameters for beginning an attempt. */
export interface AttemptRequest {
  /** Token of the new lease. Random and never reused. */
  readonly token: string;
  /** How long the attempt may go without a renewal. Milliseconds. */
  readonly leaseMs: number;
  /** Whether the caller can finish an operation that is `preparing`. Default: true. */
  readonly creates?: boolean;
  /** Limits of the definition. Default: none. */
  readonly limits?: RunningLimits | undefined;
}

/** State of a new operation that does not start as `pending` and due at once. */
export type InitialState =
  /** The caller holds the lease and is creating the resource before the reply. This is the first attempt. */
  | { readonly state: "preparing"; readonly token: string; readonly leaseMs: number }
  /** Terminal from the start: this ends a submission that was never finished. */
  | { readonly state: "failed"; readonly error: JsonText };

/** Whether the operation is new. `exists` only means that the id is taken, not that the operation is the same. */
export type CreateOutcome = "created" | "exists";

/** Whether the caller now holds the operation, and if not, why. Only `begun` grants the right to work on it. */
export type BeginResult =
  | {
      readonly outcome: "begun";
      readonly operation: Operation;
      /** Whether the previous attempt lost its lease without being settled. It may have crashed its process. */
      readonly previousLost: boolean;
    }
  /** Another caller holds a live lease. */
  | { readonly outcome: "busy" }
  /** The operation is delayed or waits for a retry. `dueInMs`: milliseconds until it is due. */
  | { readonly outcome: "not-due"; readonly dueInMs: number }
  /** The operation is `preparing`, and the caller passed `creates: false`. */
  | { readonly outcome: "preparing" }
  /**
   * No place is free: as many operations run as the limits allow, an earlier one of the same `lane` has not ended, or the
   * definition is paused. The operation stays due, and the call does not count as an attempt.
   */
  | { readonly outcome: "full" }
  /** Its `startWithinMs` was over, so this call ended it. Repeating the call gets `terminal`. */
  | { readonly outcome: "expired"; readonly operation: OverdueOperation }
  | { readonly outcome: "terminal" }
  | { readonly outcome: "unknown" };

/** Changes of a running attempt. */
export interface Renewal {
  /** Extends the lease to this time from now. Milliseconds. Default: the lease ends when it would have ended. */
  readonly leaseMs?: number;
  /** Replaces the progress of the operation. Default: unchanged. */
  readonly progress?: JsonText;
}

/** Whether the caller still holds the lease. `cancelRequested` stays true once a client has requested cancellation. */
export type RenewResult =
  | { readonly outcome: "renewed"; readonly cancelRequested: boolean }
  | { readonly outcome: "lost" };

/** Whether the attempt was settled. `lost`: the token is not the current one, and nothing has changed. */
export type SettleResult =
  /**
   * `state` is the operation's state now. Repeating the call with the token that ended the operation returns the same.
   */
  { readonly outcome: "settled"; readonly state: OperationState } | { readonly outcome: "lost" };

/**
 * Outcome of a cancellation. `cancelled`: the operation has failed. `requested`: a worker is running it and learns of
 * the request at once, or at its next lease renewal at the latest. `terminal`: it had already ended.
 */
export type CancelOutcome = "cancelled" | "requested" | "terminal" | "unknown";

/** An operation that ended because its work had not started within its `startWithinMs`. */
export interface OverdueOperation extends DueOperation {
  /** Tenant that owns it. */
  readonly tenant: string;
  /** Id of the principal who submitted it. Absent if code submitted it and named none. */
  readonly principal?: string;
  /** Its `createdAt`. */
  readonly createdAt: number;
}

/** A terminal operation whose retention has passed, with the parts of its key. */
export interface ExpiredOperation {
  /** Id of the operation, to pass to `remove`. */
  readonly id: string;
  /** Tenant of the key. */
  readonly tenant: string;
  /** Definition of the key. */
  readonly definition: string;
  /** Idempotency key. Absent if the operation was submitted without one. */
  readonly key?: string;
}

/** Outcome of a request to run a failed operation again. */
export type RedriveResult =
  /** The successor exists. `created` is false if an earlier call created it. */
  | { readonly outcome: "redriven"; readonly operationId: string; readonly created: boolean }
  /**
   * The operation is not terminal, it completed, or it failed before it became `pending`. So there is no work to run
   * again.
   */
  | { readonly outcome: "not-redrivable"; readonly state: OperationState }
  | { readonly outcome: "unknown" };

/**
 * Keeps operations. This store is the source of truth. Every method is atomic, and safe to repeat with the same
 * arguments after a lost answer. Times come from the store's own clock: callers pass durations, never times.
 *
 * Every method throws AsyncReplyError `STORE_UNAVAILABLE` if the store cannot be reached, `OVERLOADED` if it refuses
 * more load or is full, and `CORRUPT_RECORD` if it cannot read a record that it holds. An unreadable record is never
 * reported as absent.
 */
export interface OperationStore {
  /**
   * `true` if `beginAttempt`, and the receipts of a queue that begins attempts in this store, keep `limits` and lanes.
   * Definitions with `limits.running`, `limits.runningPerTenant` or `serialBy` need it. Default: they do not.
   */
  readonly keepsPlaces?: boolean;

  /**
   * Creates the operation unless its id exists. A new `pending` operation is due at once, and `takeDue` hands it out
   * 30 s later, in case its first announcement is lost. With `delayMs` it is due after that time, and `takeDue` hands it
   * out then.
   */
  create(operation: NewOperation, initial?: InitialState): Promise<CreateOutcome>;

  /**
   * Reads an operation of this tenant, including one that is `preparing`. Returns `undefined` if the operation is
   * unknown, hidden or belongs to another tenant.
   */
  get(id: string, tenant: string): Promise<Operation | undefined>;

  /**
   * Begins an attempt if the operation is due and has no live lease. Compare-and-set: of any number of concurrent
   * calls, one gets `begun`. Repeating that call with the same token gets `begun` again, as the same attempt. An
   * operation that is `preparing` begins in the same way, once the lease of its creator has expired.
   *
   * With `limits` or a `lane`, the operation also needs a place. A lease holds one, even an expired one, until another
   * operation needs it: then an expired lease is taken away, and everything later with its token is `lost`. The limits
   * hold across all processes. In a lane, operations have their turn in the order of `createdAt` and then of `id`, and
   * each one keeps it until it has ended.
   *
   * An operation whose `startWithinMs` is over, and whose work has never started, does not begin. It fails with the problem
   * `expired`, also if it has no place. It does not expire during an attempt. After one, it can only expire if it was settled
   * with `started: false`: a lost lease counts as started. This holds for receipts of a queue that begins attempts too: they
   * leave out operations that are overdue.
   */
  beginAttempt(id: string, lease: AttemptRequest): Promise<BeginResult>;

  /**
   * Begins attempts for the free slots of a worker. It finds everything that may run: new operations, those whose delay or
   * wait for a retry is over, and those whose attempt was lost. In each definition, more urgent operations begin first, and
   * the tenants of one urgency take turns. Limits, lanes, deadlines and pauses hold as for `beginAttempt`. It ends operations
   * that are being cancelled and whose attempt was lost.
   */
  claim?(request: ClaimRequest): Promise<Claimed>;

  /** Changes an attempt if its token is still the current one, even if the lease has expired. */
  renew(lease: Lease, change: Renewal): Promise<RenewResult>;

  /**
   * Ends the attempt. Compare-and-set on the token alone: late work counts as long as no other attempt has begun, a
   * stale token changes nothing, and a terminal state never changes. An operation that ends creates its `onEnd` in the
   * same commit. This holds here and everywhere else that an operation ends: in `requestCancel`, `beginAttempt` and
   * `endOverdue`, and in a transaction.
   */
  settle(lease: Lease, settlement: Settlement): Promise<SettleResult>;

  /**
   * Cancels an operation. If it has no live lease, it fails at once with the problem `cancelled`. If a lease is live,
   * the request is recorded as `cancelRequested`, for the next `renew`, or for the next `settle` with `retry`, which then fails the
   * operation. A settlement with `completed` still wins. If the lease is lost, the next `beginAttempt` fails the
   * operation. An operation that is `preparing` is `unknown`, because no client knows of it yet.
   */
  requestCancel(id: string, tenant: string): Promise<CancelOutcome>;

  /**
   * Hands out operations that need a new announcement: unfinished operations that have not been announced or begun for
   * a while. Compare-and-set: of any number of concurrent callers, one gets each operation. An operation that was
   * handed out is handed out again after 30 s, 2 min, 8 min … 1 h, so that a long backlog is not announced over and
   * over. Beginning and renewing move the next time to the end of the lease. A retry moves it to the time at which the
   * operation is due, and restarts the series.
   */
  takeDue(request: {
    readonly definitions: readonly string[];
    readonly limit: number;
  }): Promise<readonly DueOperation[]>;

  /**
   * Hands out completed operations whose `retentionMs` has passed, and failed ones whose `failedRetentionMs` has, each to
   * one caller, the longest expired first. An operation that is not passed to `remove` is handed out again after a
   * minute. A redriven operation is kept until its successor is gone, and is handed out then, unless its own time is not
   * over. This call also deletes the operations whose time from an earlier `remove` has come.
   */
  takeExpired(request: { readonly limit: number }): Promise<readonly ExpiredOperation[]>;

  /**
   * Ends operations of all definitions whose `startWithinMs` is over and whose work has never started, also those that are
   * paused or have no place: they fail with the problem `expired`. Returns those that this call has ended, at most
   * `limit`. Compare-and-set: an operation either starts or expires, never both. Definitions
   * with `startWithinMs` need it.
   */
  endOverdue?(request: { readonly limit: number }): Promise<readonly OverdueOperation[]>;

  /**
   * Deletes terminal operations `afterMs` from now. Milliseconds. Until then they can be read, and their ids stay
   * taken. A redriven operation is kept as long as its successor exists.
   */
  remove(ids: readonly string[], options: { readonly afterMs: number }): Promise<void>;

  /**
   * Calls `onChange` with the ids of operations that change, and returns a function that stops the calls. `onChange`
   * must not throw. It is called for every operation that is created or changed through this store. For other stores
   * on the same data it is called for operations that change, as far as notifications arrive. An id is a hint to
   * look: it may come more than once or not at all, so callers must also poll. A call without an id means that
   * notifications may have been missed, for example because a connection was lost. Callers then look at every
   * operation that they follow.
   */
  watch?(onChange: (operationId?: string) => void): () => void;

  /**
   * Calls `onRequest` with the ids of running operations whose cancellation is requested, through any store on the same
   * data, and returns a function that stops the calls. Otherwise like `watch`. A worker renews the lease of such an
   * operation at once. Without this method, it learns of the request with its next renewal.
   */
  watchCancellations?(onRequest: (operationId?: string) => void): () => void;

  /** Reads operations of any tenant, including hidden ones. Unknown ids are left out. The order is undefined. */
  getMany?(ids: readonly string[]): Promise<readonly Operation[]>;

  /** Lists operations, newest first, ordered by `createdAt` and then by id. */
  list?(request: ListRequest): Promise<readonly ListedOperation[]>;

  /**
   * Counts the operations of these definitions. Returns one entry per definition. Cheap at any number of operations.
   */
  stats?(request: { readonly definitions: readonly string[] }): Promise<readonly DefinitionStats[]>;

  /**
   * Counts operations that have not ended, including hidden ones and those that are `preparing`. Returns one count per
   * request, in the same order. Definitions with `limits.pending` or `limits.pendingPerTenant` need it.
   */
  countPending?(requests: readonly PendingRequest[]): Promise<readonly number[]>;

  /**
   * Creates an operation, the successor, that runs a failed one again. The successor has the same tenant, definition,
   * input, `meta`, retention and `startWithinMs`, and its `retryOf` is the failed operation. It has no key, and is hidden if the
   * failed operation is. The same commit sets `retriedBy` of the failed operation. If the failed operation has an
   * `onEnd`, the successor gets it with the id `onEndId`. Safe to repeat: the first successor stays. Undoes an earlier
   * `remove` of the failed operation.
   */
  redrive?(id: string, successor: { readonly id: string; readonly onEndId: string }): Promise<RedriveResult>;

  /**
   * Pauses a definition: until `resume`, no attempt of its `pending` operations begins. `beginAttempt` returns `full`, and
   * a queue that begins attempts leaves them due. Everything else goes on: creating operations, finishing those that are
   * `preparing`, attempts that have begun, and cancelling. `stats` shows the pause. If the definition is paused already,
   * nothing changes. `by` has 1 to 255 UTF-16 code units.
   */
  pause?(definition: string, by?: string): Promise<void>;

  /** Ends the pause of a definition, if there is one, and wakes up workers that wait for its operations. */
  resume?(definition: string): Promise<void>;
}

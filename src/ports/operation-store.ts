import type { JsonText, NewOperation, Operation, OperationState, Settlement } from "../core/operation.js";

/** The right to work on one operation, chosen by the caller: see {@link OperationStore.beginAttempt}. */
export interface Lease {
  /** A token belongs to one operation and says nothing about others. */
  readonly operationId: string;
  /** Random and never reused: it fences off everybody who held the operation before. */
  readonly token: string;
}

/** How a new operation starts, if not as `pending` and due at once. */
export type InitialState =
  /** Under a lease of the caller, who is creating its resource before the reply: that is its first attempt. */
  | { readonly state: "preparing"; readonly token: string; readonly leaseMs: number }
  /** Terminal from the first moment: the end of a submission that was never finished. */
  | { readonly state: "failed"; readonly error: JsonText };

/** Whether the operation is new. `exists` says nothing of whether it is the same one. */
export type CreateOutcome = "created" | "exists";

/** Whether the caller holds the operation now, and if not, why. Only `begun` gives the right to work on it. */
export type BeginResult =
  | {
      readonly outcome: "begun";
      readonly operation: Operation;
      /** Whether the attempt before this one lost its lease without being settled: its process may have died of it. */
      readonly previousLost: boolean;
    }
  /** Somebody holds a live lease. */
  | { readonly outcome: "busy" }
  /** A retry waits for its time. */
  | { readonly outcome: "not-due"; readonly dueInMs: number }
  | { readonly outcome: "terminal" }
  | { readonly outcome: "unknown" };

/** Whether the lease still is the caller's. `cancelRequested` stays true once a client has asked. */
export type RenewResult =
  | { readonly outcome: "renewed"; readonly cancelRequested: boolean }
  | { readonly outcome: "lost" };

/** Whether the attempt ended as the caller said. `lost`: the token is not the current one, and nothing has changed. */
export type SettleResult =
  /** `state` is what the operation is in now; a repeated settle of the token that ended it answers the same. */
  { readonly outcome: "settled"; readonly state: OperationState } | { readonly outcome: "lost" };

/** `cancelled`: failed just now; `requested`: whoever works on it will be told; `terminal`: it had ended before. */
export type CancelOutcome = "cancelled" | "requested" | "terminal" | "unknown";

/** An operation that somebody should look at. */
export interface DueOperation {
  /** The operation. */
  readonly id: string;
  /** The name of its definition, for its announcement. */
  readonly definition: string;
}

/** A terminal operation whose retention has passed, with what is needed to release its key. */
export interface ExpiredOperation {
  /** The operation, to be given to `remove`. */
  readonly id: string;
  /** Of the key. */
  readonly scope: string;
  /** Of the key. */
  readonly definition: string;
  /** Absent where it was submitted without one. */
  readonly key?: string;
}

/** A page of operations in the order of their ids. What is left out does not narrow it. */
export interface ListRequest {
  /** Only operations of this scope. */
  readonly scope?: string;
  /** Only operations of this definition. */
  readonly definition?: string;
  /** Only operations that are in this state now. */
  readonly state?: OperationState;
  /** Only operations whose id sorts after this one. */
  readonly after?: string;
  /** At most so many. */
  readonly limit: number;
}

/**
 * Keeps operations: the truth of the contract. Every method is atomic by itself, may be repeated after a lost
 * answer with the same arguments, and reckons by the store's own clock: durations go in, never times.
 *
 * Every method throws AsyncReplyError `STORE_UNAVAILABLE` when the store cannot be reached, `OVERLOADED` when it
 * refuses more load or is full, and `CORRUPT_RECORD` when what it holds cannot be read: that is never an absence.
 */
export interface OperationStore {
  /**
   * Creates the operation unless its id exists. A new `pending` operation is due at once and is handed out by
   * `takeDue` 30 s later, in case its first announcement is lost.
   */
  create(operation: NewOperation, initial?: InitialState): Promise<CreateOutcome>;

  /**
   * Reads an operation of this scope, also one that is `preparing`. Another scope's, a hidden and an unknown one are all
   * `undefined`.
   */
  get(id: string, scope: string): Promise<Operation | undefined>;

  /**
   * Begins an attempt if the operation is due and nobody holds a live lease. Compare-and-set: of any number of
   * concurrent calls one is `begun`, and so is its repetition with the same token, as the same attempt. An
   * operation that is `preparing` begins likewise, once the lease of its creator is dead.
   */
  beginAttempt(id: string, lease: { readonly token: string; readonly leaseMs: number }): Promise<BeginResult>;

  /** Extends the lease to `leaseMs` from now, if its token is still the current one, however late that is. */
  renew(
    lease: Lease,
    change: { readonly leaseMs: number; readonly progress?: JsonText },
  ): Promise<RenewResult>;

  /**
   * Ends the attempt. Compare-and-set on the token alone: late but unchallenged work counts, a stale token changes
   * nothing, a terminal state never changes. Operations in `then` are created in the same commit, each unless its id
   * exists; they go with terminal settlements only.
   */
  settle(lease: Lease, settlement: Settlement, then?: readonly NewOperation[]): Promise<SettleResult>;

  /**
   * Fails an operation that nobody works on with the problem `cancelled`, at once. Where a lease is live it leaves a mark for the
   * next `renew` or `retry`; `completed` beats it, and when that lease is lost `beginAttempt` ends the operation. What is
   * `preparing` is `unknown`: no client knows of it.
   */
  requestCancel(id: string, scope: string): Promise<CancelOutcome>;

  /**
   * Hands out operations that need a new announcement: unfinished, and not announced or begun for a while.
   * Compare-and-set: of any number of concurrent callers one gets each. What was handed out comes again after
   * 30 s, 2 min, 8 min … 1 h, so that a long backlog is not announced over and over. Beginning and renewing move this to the
   * end of the lease; a retry moves it to the time when it is due and starts the series anew.
   */
  takeDue(request: {
    readonly definitions: readonly string[];
    readonly limit: number;
  }): Promise<readonly DueOperation[]>;

  /**
   * Hands out terminal operations whose end is at least `retentionMs` ago, each to one caller, oldest first. One that
   * is not given to `remove` comes again after a minute. Also forgets what an earlier `remove` asked to forget by now.
   */
  takeExpired(request: {
    readonly retentionMs: number;
    readonly limit: number;
  }): Promise<readonly ExpiredOperation[]>;

  /** Forgets terminal operations `afterMs` from now; until then they can be read and keep their ids occupied. */
  remove(ids: readonly string[], options: { readonly afterMs: number }): Promise<void>;

  /**
   * Calls `onChange`, which must not throw, with the ids of operations that change: of all that are created or changed by
   * way of this store, and at least of those that end by way of another one on the same data, as far as its notifications
   * arrive. An id is a hint to look, may come more than once, and is no reason not to look at intervals as well.
   */
  watch?(onChange: (operationId: string) => void): () => void;

  /** Lists operations by id, which is by age; hidden ones included. For operators, not for clients. */
  list?(request: ListRequest): Promise<readonly Operation[]>;
}

import type { JsonText, NewOperation, Operation, OperationState, Settlement } from "../contract/operation.js";

/** The right to work on one operation, chosen by the caller: see {@link OperationStore.beginAttempt}. */
export interface Lease {
  /** A token belongs to one operation and says nothing about others. */
  readonly operationId: string;
  /** Random and never reused: it fences off everybody who held the operation before. */
  readonly token: string;
}

/** What an attempt is begun with. */
export interface AttemptRequest {
  /** Random and never reused. */
  readonly token: string;
  /** How long the attempt may go without a renewal. Milliseconds. */
  readonly leaseMs: number;
  /** Whether the caller can finish an operation that is `preparing`. Default: true. */
  readonly creates?: boolean;
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
  /** It is `preparing`, and the caller creates no resources. */
  | { readonly outcome: "preparing" }
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
  readonly tenant: string;
  /** Of the key. */
  readonly definition: string;
  /** Absent where it was submitted without one. */
  readonly key?: string;
}

/** Where a page of a list ends: the next page begins behind this operation. */
export interface ListPosition {
  /** `createdAt` of the last operation of the page. */
  readonly createdAt: number;
  /** Its id. */
  readonly id: string;
}

/** A page of operations, newest first. Every member that is absent does not narrow the list. */
export interface ListRequest {
  /** Only operations of this tenant. */
  readonly tenant?: string;
  /** Only operations of this definition. */
  readonly definition?: string;
  /** Only operations in this state. */
  readonly state?: OperationState;
  /** Only operations created at this time or later. Epoch milliseconds. */
  readonly createdFrom?: number;
  /** Only operations created before this time. Epoch milliseconds. */
  readonly createdBefore?: number;
  /** Only operations behind this position, which are older. */
  readonly after?: ListPosition;
  /** Whether hidden operations and those that are `preparing` are listed too. Default: false. */
  readonly internal?: boolean;
  /** Maximum number of operations to return. */
  readonly limit: number;
}

/** An operation in a list, without its payloads: they are read with `get` or `getMany`. */
export type ListedOperation = Omit<
  Operation,
  "input" | "result" | "resource" | "progress" | "meta" | "onEnd"
>;

/** A count that stops at 10,000, so that it stays cheap. */
export interface BoundedCount {
  /** At most 10,000. */
  readonly count: number;
  /** Whether there are more. */
  readonly more: boolean;
}

/** How many operations of one definition wait, run, and have failed, hidden ones included. Those that are `preparing` do not count. */
export interface DefinitionStats {
  /** Name of the definition. */
  readonly definition: string;
  /** Due now, and no attempt holds a live lease. */
  readonly due: BoundedCount;
  /** An attempt holds a live lease. */
  readonly running: BoundedCount;
  /** Due later: delayed, or waiting for a retry. */
  readonly scheduled: BoundedCount;
  /** Failed and not purged yet. */
  readonly failed: BoundedCount;
  /** How long the longest-waiting due operation has been due. Milliseconds. Absent if none is due. */
  readonly oldestDueMs?: number;
}

/** What became of a request to run a failed operation again. */
export type RedriveResult =
  /** The successor exists. `created` is false if an earlier call created it. */
  | { readonly outcome: "redriven"; readonly operationId: string; readonly created: boolean }
  /** It is not terminal, it completed, or it failed before it became `pending`, so it has no work to run again. */
  | { readonly outcome: "not-redrivable"; readonly state: OperationState }
  | { readonly outcome: "unknown" };

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
   * Reads an operation of this tenant, also one that is `preparing`. Another tenant's, a hidden and an unknown one are all
   * `undefined`.
   */
  get(id: string, tenant: string): Promise<Operation | undefined>;

  /**
   * Begins an attempt if the operation is due and nobody holds a live lease. Compare-and-set: of any number of
   * concurrent calls one is `begun`, and so is its repetition with the same token, as the same attempt. An
   * operation that is `preparing` begins likewise, once the lease of its creator is dead.
   */
  beginAttempt(id: string, lease: AttemptRequest): Promise<BeginResult>;

  /** Extends the lease to `leaseMs` from now, if its token is still the current one, however late that is. */
  renew(
    lease: Lease,
    change: { readonly leaseMs: number; readonly progress?: JsonText },
  ): Promise<RenewResult>;

  /**
   * Ends the attempt. Compare-and-set on the token alone: late but unchallenged work counts, a stale token changes nothing,
   * a terminal state never changes. An operation that ends creates its `onEnd` in the same commit, here and wherever else an
   * operation ends: by `requestCancel`, by `beginAttempt` and in a transaction.
   */
  settle(lease: Lease, settlement: Settlement): Promise<SettleResult>;

  /**
   * Fails an operation that nobody works on with the problem `cancelled`, at once. Where a lease is live it leaves a mark for the
   * next `renew` or `retry`; `completed` beats it, and when that lease is lost `beginAttempt` ends the operation. What is
   * `preparing` is `unknown`: no client knows of it.
   */
  requestCancel(id: string, tenant: string): Promise<CancelOutcome>;

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
   * Hands out terminal operations whose `retentionMs` has passed, each to one caller, the longest expired first. One that is
   * not passed to `remove` comes again after a minute. An operation that was redriven is kept until its successor is gone, and
   * is handed out then. Also deletes what an earlier `remove` asked to delete by now.
   */
  takeExpired(request: { readonly limit: number }): Promise<readonly ExpiredOperation[]>;

  /**
   * Deletes terminal operations `afterMs` from now. Until then they can be read and keep their ids occupied. Keeps those that
   * were redriven and whose successor still exists.
   */
  remove(ids: readonly string[], options: { readonly afterMs: number }): Promise<void>;

  /**
   * Calls `onChange`, which must not throw, with the ids of operations that change: of all that are created or changed by
   * way of this store, and at least of those that end by way of another one on the same data, as far as its notifications
   * arrive. An id is a hint to look, may come more than once, and is no reason not to look at intervals as well.
   */
  watch?(onChange: (operationId: string) => void): () => void;

  /** Reads operations of any tenant, hidden ones included. Unknown ids are left out; the order is not defined. */
  getMany?(ids: readonly string[]): Promise<readonly Operation[]>;

  /** Lists operations, newest first, in the order of `createdAt` and then id. */
  list?(request: ListRequest): Promise<readonly ListedOperation[]>;

  /** Counts the operations of these definitions, one entry for each. Cheap at any number of operations. */
  stats?(request: { readonly definitions: readonly string[] }): Promise<readonly DefinitionStats[]>;

  /**
   * Creates an operation that runs a failed one again: same tenant, definition, input, `meta` and `retentionMs`, its
   * `retryOf` is the failed one, without a key, hidden if the failed one is. In the same commit the failed one gets
   * `retriedBy`. If the failed one has an `onEnd`, the successor gets it with the id `onEndId`. May be repeated: the first
   * successor stays. Cancels an earlier `remove` of the failed one.
   */
  redrive?(id: string, successor: { readonly id: string; readonly onEndId: string }): Promise<RedriveResult>;
}

import type { JsonText, NewOperation, Operation, OperationState, Settlement } from "../contract/operation.js";
import type { Claimed, ClaimRequest, DueOperation } from "./claim.js";
import type {
  DefinitionStats,
  InspectedOperation,
  InspectRequest,
  ListedOperation,
  ListRequest,
  PendingRequest,
} from "./operation-reads.js";

/**
 * A promise about operations that a definition asks for. `deadlines`: `startWithinMs`. `lanes`: `serialBy`. `limits`:
 * `limits.running` and `limits.runningPerTenant`.
 */
export type Kept = "deadlines" | "lanes" | "limits";

/** The right to work on one operation. The caller chooses the token: see {@link OperationStore.claim}. */
export interface Lease {
  /** Id of the operation. A token is only valid together with it. */
  readonly operationId: string;
  /** Random and never reused. It fences off every earlier holder of the operation. */
  readonly token: string;
}

/** State of a new operation that does not start as `pending` and due at once. */
export type InitialState =
  /** The caller holds the lease and is creating the resource before the reply. This is the first attempt. */
  | { readonly state: "preparing"; readonly token: string; readonly leaseMs: number }
  /** Terminal from the start: this ends a submission that was never finished. */
  | { readonly state: "failed"; readonly error: JsonText };

/** Whether the operation is new. `exists` only means that the id is taken, not that the operation is the same. */
export type CreateOutcome = "created" | "exists";

/** Changes of a running attempt. */
export interface Renewal {
  /** Extends the lease to this time from now, and never shortens it. Milliseconds. Default: it ends when it would have ended. */
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
   * Names the promises of definitions that this store keeps. A service refuses definitions that need another one, so that a store
   * which is older than a promise cannot ignore it.
   */
  readonly keeps: readonly Kept[];

  /** Creates the operation unless its id exists. A new `pending` operation is due at once, or after its `delayMs`. */
  create(operation: NewOperation, initial?: InitialState): Promise<CreateOutcome>;

  /**
   * Reads an operation of this tenant, including one that is `preparing`. Returns `undefined` if the operation is
   * unknown, hidden or belongs to another tenant.
   */
  get(id: string, tenant: string): Promise<Operation | undefined>;

  /**
   * Begins attempts for the free slots of a worker. It finds everything that may run: new operations, those whose delay or
   * wait for a retry is over, and those whose attempt was lost. In each definition, more urgent operations begin first, and
   * the tenants of one urgency take turns. Compare-and-set: of any number of concurrent claims, one begins an operation. An
   * operation that is `preparing` begins in the same way, once the lease of its creator has expired. It ends operations that are
   * being cancelled and whose attempt was lost.
   *
   * With `limits` or a `lane`, an operation also needs a place. A lease holds one, even an expired one, until another
   * operation needs it: then an expired lease is taken away, and everything later with its token is `lost`. The limits
   * hold across all processes. In a lane, operations have their turn in the order of `createdAt` and then of `id`, and
   * each one keeps it until it has ended.
   *
   * An operation whose `startWithinMs` is over, and whose work has never started, does not begin, and `endOverdue` ends it. It
   * does not expire during an attempt. After one, it can only expire if it was settled with `started: false`: a lost lease
   * counts as started.
   */
  claim(request: ClaimRequest): Promise<Claimed>;

  /** Changes an attempt if its token is still the current one, even if the lease has expired. */
  renew(lease: Lease, change: Renewal): Promise<RenewResult>;

  /**
   * Ends the attempt. Compare-and-set on the token alone: late work counts as long as no other attempt has begun, a
   * stale token changes nothing, and a terminal state never changes. An operation that ends creates its `onEnd` in the
   * same commit. This holds here and everywhere else that an operation ends: in `requestCancel`, `claim` and
   * `endOverdue`, and in a transaction.
   */
  settle(lease: Lease, settlement: Settlement): Promise<SettleResult>;

  /**
   * Cancels an operation. If it has no live lease, it fails at once with the problem `cancelled`. If a lease is live,
   * the request is recorded as `cancelRequested`, for the next `renew`, or for the next `settle` with `retry`, which then fails the
   * operation. A settlement with `completed` still wins. If the lease is lost, the next `claim` fails
   * the operation. An operation that is `preparing` is `unknown`, because no client knows of it yet.
   */
  requestCancel(id: string, tenant: string): Promise<CancelOutcome>;

  /**
   * Ends operations of all definitions whose `startWithinMs` is over and whose work has never started, also those that are
   * paused or have no place: they fail with the problem `expired`. Returns those that this call has ended, at most
   * `limit`. Compare-and-set: an operation either starts or expires, never both.
   */
  endOverdue(request: { readonly limit: number }): Promise<readonly OverdueOperation[]>;

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
  getMany(ids: readonly string[]): Promise<readonly Operation[]>;

  /**
   * Reads an operation like `getMany`, with what operators need to explain it. Returns `undefined` if it is unknown. Without this
   * method, operators know less about attempts and waits.
   */
  inspect?(request: InspectRequest): Promise<InspectedOperation | undefined>;

  /** Lists operations, newest first, ordered by `createdAt` and then by id. */
  list(request: ListRequest): Promise<readonly ListedOperation[]>;

  /**
   * Counts the operations of these definitions. Returns one entry per definition. Cheap at any number of operations.
   */
  stats(request: { readonly definitions: readonly string[] }): Promise<readonly DefinitionStats[]>;

  /**
   * Counts operations that have not ended, including hidden ones and those that are `preparing`. Returns one count per
   * request, in the same order.
   */
  countPending(requests: readonly PendingRequest[]): Promise<readonly number[]>;

  /**
   * Creates an operation, the successor, that runs a failed one again. The successor has the same tenant, definition,
   * input, `meta`, retention and `startWithinMs`, and its `retryOf` is the failed operation. It has no key, and is hidden if the
   * failed operation is. The same commit sets `retriedBy` of the failed operation, which is kept as long as its successor
   * exists. If the failed operation has an `onEnd`, the successor gets it with the id `onEndId`. Safe to repeat: the first
   * successor stays.
   *
   * With `keepCheckpoint`, the successor starts with the last checkpoint of the failed operation, if that has one, but without its
   * chunks. For its first attempt, the checkpoint is one that this attempt has set. Only stores with an `output` get it.
   */
  redrive(
    id: string,
    successor: { readonly id: string; readonly onEndId: string; readonly keepCheckpoint?: boolean },
  ): Promise<RedriveResult>;

  /**
   * Pauses a definition: until `resume`, no attempt of its `pending` operations begins. Claims
   * leave them due. Everything else goes on: creating operations, finishing those that are
   * `preparing`, attempts that have begun, and cancelling. `stats` shows the pause. If the definition is paused already,
   * nothing changes. `by` has 1 to 255 UTF-16 code units.
   */
  pause(definition: string, by?: string): Promise<void>;

  /** Ends the pause of a definition, if there is one. */
  resume(definition: string): Promise<void>;
}

import type { Operation } from "../contract/operation.js";

/**
 * Maximum numbers of operations of one definition that are `pending` and under a lease. An operation that is `preparing`
 * neither needs nor holds a place. Absent members are no limit.
 */
export interface RunningLimits {
  /** Maximum number for all tenants together. */
  readonly running?: number;
  /** Maximum number for each tenant. */
  readonly runningPerTenant?: number;
}

/** Names an operation. */
export interface DueOperation {
  /** Id of the operation. */
  readonly id: string;
  /** Name of its definition. */
  readonly definition: string;
}

/** A definition of which a worker has free slots. */
export interface ClaimedDefinition {
  /** Name of the definition. */
  readonly name: string;
  /** How many attempts may begin. At least 1. */
  readonly slots: number;
  /** How long an attempt may go without a renewal. Milliseconds. */
  readonly leaseMs: number;
  /** Whether the caller can finish operations that are `preparing`. Default: true. */
  readonly creates?: boolean;
  /** Limits of the definition. Default: none. */
  readonly limits?: RunningLimits | undefined;
  /** Whether operations of the definition may have lanes. Default: false. */
  readonly lanes?: boolean;
  /**
   * Maximum number of operations that may begin although their last attempt was lost. They may crash the process. The others
   * stay due.
   */
  readonly suspects: number;
}

/** Parameters of `OperationStore.claim`. */
export interface ClaimRequest {
  /** Token of the leases. Random and never reused, except to repeat a call whose answer was lost. */
  readonly token: string;
  /** Definitions, none of them twice. If slots are scarce, the first ones get theirs first. */
  readonly definitions: readonly ClaimedDefinition[];
  /** Maximum number of attempts that may begin, across all definitions. */
  readonly limit: number;
  /** Only this operation may begin. Then `definitions` contains its definition and no other. Default: any. */
  readonly operationId?: string;
  /**
   * Whether the answer of an earlier call with this token was lost. The call then returns the attempts that the earlier one
   * began and that still have their lease, extends these leases, and begins and ends nothing. Default: false.
   */
  readonly repeated?: boolean;
}

/** An attempt that a claim began. Its token is that of the claim. */
export interface BegunOperation {
  /** The operation as the attempt has begun it. */
  readonly operation: Operation;
  /** Whether the previous attempt lost its lease without being settled. It may have crashed its process. */
  readonly previousLost: boolean;
}

/** Result of a claim. */
export interface Claimed {
  /** Attempts that the claim began. */
  readonly begun: readonly BegunOperation[];
  /** Operations whose cancellation was requested and whose attempt was lost. They have failed with the problem `cancelled`. */
  readonly ended: readonly DueOperation[];
  /** Whether the claim ended before it had looked at everything, so that another one may begin more at once. */
  readonly again: boolean;
  /**
   * Whether work of these definitions is due that could not begin although slots were free: no place is free, an earlier
   * operation of its lane has not ended, the definition is paused, or it is a suspect too many. With `operationId`, whether
   * that operation is.
   */
  readonly blocked: boolean;
  /**
   * When work of these definitions becomes due next: the end of a delay, of the wait for a retry, or of a lease. Milliseconds
   * from now, at least 1. Absent if no slot is left, or if nothing of the kind is known. With `operationId`, when that
   * operation becomes due, and absent if it has a lease.
   */
  readonly nextInMs?: number;
}

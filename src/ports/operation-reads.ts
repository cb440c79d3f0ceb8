import type { Operation, OperationState } from "../contract/operation.js";

/** The end of a page of a list: the next page begins after this operation. */
export interface ListPosition {
  /** `createdAt` of the last operation of the page. */
  readonly createdAt: number;
  /** Id of the last operation of the page. */
  readonly id: string;
}

/** Request for a page of operations, newest first. Absent members do not narrow the list. */
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
  /** Only operations after this position, that is, older ones. */
  readonly after?: ListPosition;
  /** Whether hidden operations and those that are `preparing` are listed too. Default: false. */
  readonly internal?: boolean;
  /** Maximum number of operations to return. */
  readonly limit: number;
}

/** An operation in a list, without its payloads. To read them, use `get` or `getMany`. */
export type ListedOperation = Omit<
  Operation,
  "input" | "result" | "resource" | "progress" | "meta" | "onEnd"
>;

/** Request to read an operation, and what only its store knows of it. */
export interface InspectRequest {
  /** Id of the operation. */
  readonly id: string;
  /** Whether to count what runs under `limits.runningPerTenant`. Default: false. */
  readonly places?: boolean;
}

/** An operation, and what only its store knows of it. */
export interface InspectedOperation {
  /** The operation, as `getMany` returns it. */
  readonly operation: Operation;
  /** Token of the current attempt, or of the one that ended the operation. Absent between attempts, and if none has begun. Secret. */
  readonly token?: string;
  /** When the operation is due next, or when the lease of its attempt ends. Epoch milliseconds. Absent once it has ended. */
  readonly dueAt?: number;
  /** Whether that time has come, by the store's clock. Absent once the operation has ended. */
  readonly isDue?: boolean;
  /** Number of live leases of its tenant and definition that count for `limits.runningPerTenant`. Only with `places`. */
  readonly runningOfTenant?: number;
}

/** A count that stops at 10,000, so that it stays cheap. */
export interface BoundedCount {
  /** At most 10,000. */
  readonly count: number;
  /** Whether there are more. */
  readonly more: boolean;
}

/** A pause of a definition. */
export interface Pause {
  /** When it was paused, by the store's clock. Epoch milliseconds. */
  readonly since: number;
  /** The `by` of the call that paused it. Default: none. */
  readonly by?: string;
}

/**
 * Counts of the operations of one definition, including hidden ones. Operations that are `preparing` are not counted.
 */
export interface DefinitionStats {
  /** Name of the definition. */
  readonly definition: string;
  /** Operations that are due now and have no live lease. */
  readonly due: BoundedCount;
  /** Operations with a live lease. */
  readonly running: BoundedCount;
  /** Operations that are due later, because they are delayed or wait for a retry. */
  readonly scheduled: BoundedCount;
  /** Failed operations that were not redriven and have not been purged yet. */
  readonly failed: BoundedCount;
  /** How long the longest-waiting due operation has been due. Milliseconds. Absent if no operation is due. */
  readonly oldestDueMs?: number;
  /** Pause of the definition. Absent if it is not paused. */
  readonly paused?: Pause;
}

/** Request to count the operations of a definition that have not ended. */
export interface PendingRequest {
  /** Name of the definition. */
  readonly definition: string;
  /** Counts only the operations of this tenant. Default: of all tenants. */
  readonly tenant?: string;
  /** The count stops at this number. */
  readonly most: number;
}

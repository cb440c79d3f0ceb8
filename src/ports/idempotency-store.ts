import type { NewOperation } from "../contract/operation.js";

/**
 * Identifies a key. It is unique over tenant, definition and key. Stores must not join the three ambiguously: `a:b` +
 * `c` is not `a` + `b:c`.
 */
export interface KeyReference {
  /** Tenant of the principal that submits. */
  readonly tenant: string;
  /** Name of the definition that receives the submission. */
  readonly definition: string;
  /** Key from the `Idempotency-Key` header, without quotes and escapes: 1 to 255 printable ASCII characters. */
  readonly key: string;
}

/** The binding of a key to an operation. */
export interface KeyBinding extends KeyReference {
  /** Hash of the payload, with a version. It distinguishes a retry from a different request that reuses the key. */
  readonly fingerprint: string;
  /** Id of the operation, chosen before the binding, so that a retry after a lost answer names the same operation. */
  readonly operationId: string;
}

/** Which submissions count as abandoned. */
export interface AbandonedRequest {
  /** Age of the binding. Milliseconds. */
  readonly olderThanMs: number;
  /** Maximum number of keys to look at. */
  readonly limit: number;
  /** Returns how long operations of a definition are kept after their end. */
  readonly retentionOf: (
    definition: string,
  ) => Required<Pick<NewOperation, "retentionMs" | "failedRetentionMs">>;
}

/** Submissions that were abandoned. */
export interface Abandoned {
  /** Number of old keys that the call has looked at. If it is the limit, there may be more. */
  readonly looked: number;
  /** Those whose operation this call has created as failed. */
  readonly ended: readonly KeyBinding[];
}

/** Outcome of a binding: the key is bound to the caller's operation, or already to another one. */
export type BindResult =
  | { readonly outcome: "bound" }
  | { readonly outcome: "exists"; readonly operationId: string; readonly fingerprint: string };

/**
 * Binds idempotency keys to operations, so that a retry never starts a second operation (spec §1.6). A binding does not
 * expire by itself: it lives exactly as long as its operation, and the purge of the operation releases it.
 *
 * Every method throws AsyncReplyError `STORE_UNAVAILABLE`, `OVERLOADED` and `CORRUPT_RECORD` under the same conditions
 * as the methods of {@link OperationStore}.
 */
export interface IdempotencyStore {
  /**
   * Binds a key to one operation. Atomic: of any number of concurrent calls with the same key, exactly one gets
   * `bound`. Repeating that call with the same `operationId` gets `bound` again. The other calls get the winner's
   * `operationId` and fingerprint, so that they can resume that operation.
   */
  bind(binding: KeyBinding): Promise<BindResult>;

  /** Returns the operation that a key is bound to, or undefined. */
  find(reference: KeyReference): Promise<Pick<KeyBinding, "operationId" | "fingerprint"> | undefined>;

  /** Releases the key if it is bound to this operation. A binding of another operation stays. Safe to repeat. */
  release(owner: KeyReference & { readonly operationId: string }): Promise<void>;

  /**
   * Hands out bindings that are at least `olderThanMs` old, oldest first, each to one caller. The caller checks that
   * they have an operation. A binding that is not released is handed out again after another `olderThanMs`. A store that
   * knows which bindings have an operation may leave those out. `olderThanMs`: milliseconds.
   */
  takeStale(request: {
    readonly olderThanMs: number;
    readonly limit: number;
  }): Promise<readonly KeyBinding[]>;
}

/** A key is unique over tenant, definition and key; the three never run together (`a:b` + `c` is not `a` + `b:c`). */
export interface KeyReference {
  /** The tenant of the principal that submits. */
  readonly tenant: string;
  /** The name of the definition that is submitted to. */
  readonly definition: string;
  /** The key that `Idempotency-Key` denotes, without quotes and escapes: 1 to 255 printable ASCII characters. */
  readonly key: string;
}

/** The binding of a key to an operation. */
export interface Claim extends KeyReference {
  /** Of the payload, with its version: tells a retry from another request that reuses the key. */
  readonly fingerprint: string;
  /** Chosen before the claim, so that a retry after a lost answer names the same operation. */
  readonly operationId: string;
}

/** The answer to a claim: the key is bound to the operation of the caller, or to that of somebody else. */
export type ClaimResult =
  | { readonly outcome: "claimed" }
  | { readonly outcome: "exists"; readonly operationId: string; readonly fingerprint: string };

/**
 * Remembers submitted keys, so that a retry never starts a second operation (spec §1.6). A claim has no expiry of its
 * own: it lives exactly as long as its operation, and is released by the purge of that operation.
 *
 * Every method throws AsyncReplyError `STORE_UNAVAILABLE`, `OVERLOADED` and `CORRUPT_RECORD` as {@link OperationStore} says.
 */
export interface IdempotencyStore {
  /**
   * Binds a key to one operation. Atomic: of any number of concurrent calls with one key exactly one is `claimed`,
   * and so is its repetition with the same `operationId`; the others learn the winner's `operationId` and
   * fingerprint, so that they resume that operation.
   */
  claim(claim: Claim): Promise<ClaimResult>;

  /** Frees the key if it is bound to this operation; somebody else's claim stays. May be repeated. */
  release(owner: KeyReference & { readonly operationId: string }): Promise<void>;

  /**
   * Hands out claims that are at least `olderThanMs` old, oldest first, each to one caller, to check that they have an
   * operation. One that stays comes again after another `olderThanMs`. A store that knows which have one may leave them out.
   */
  takeStale(request: { readonly olderThanMs: number; readonly limit: number }): Promise<readonly Claim[]>;
}

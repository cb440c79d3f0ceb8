import type { Claim, ClaimResult, IdempotencyStore, KeyReference } from "../../ports/idempotency-store.js";
import type { Clock } from "../../ports/runtime.js";

interface Held extends Claim {
  at: number;
}

/** Keeps claims in this process. Every method acts within one turn of the event loop: that is its atomicity. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  readonly #clock: Clock;
  /** In order of age: a Map iterates in the order of insertion. */
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async claim(claim: Claim): Promise<ClaimResult> {
    return this.claimNow(claim);
  }

  /** `claim` within the turn of a caller that does more in the same turn. */
  claimNow(claim: Claim): ClaimResult {
    const name = nameOf(claim);
    const held = this.#held.get(name);
    const { scope, definition, key, fingerprint, operationId } = claim;
    if (held === undefined) {
      this.#held.set(name, { scope, definition, key, fingerprint, operationId, at: this.#clock.now() });
      return CLAIMED;
    }
    return held.operationId === operationId
      ? CLAIMED
      : { outcome: "exists", operationId: held.operationId, fingerprint: held.fingerprint };
  }

  async release(owner: KeyReference & { readonly operationId: string }): Promise<void> {
    this.releaseNow(owner);
  }

  /** `release` within the turn of the caller. */
  releaseNow(owner: KeyReference & { readonly operationId: string }): void {
    const name = nameOf(owner);
    if (this.#held.get(name)?.operationId === owner.operationId) this.#held.delete(name);
  }

  async takeStale(request: { readonly olderThanMs: number; readonly limit: number }): Promise<Claim[]> {
    const now = this.#clock.now();
    const stale: Claim[] = [];
    // What is looked at moves to the end, where it must not be met again.
    const most = Math.min(request.limit, this.#held.size);
    for (const [name, held] of this.#held) {
      if (held.at + request.olderThanMs > now || stale.length === most) break;
      const { at: _, ...claim } = held;
      stale.push(claim);
      this.#held.delete(name);
      held.at = now;
      this.#held.set(name, held);
    }
    return stale;
  }
}

const CLAIMED = { outcome: "claimed" } as const;

/** One text for the three parts. The lengths keep `a:b` + `c` and `a` + `b:c` apart. */
function nameOf({ scope, definition, key }: KeyReference): string {
  return `${scope.length}:${scope}${definition.length}:${definition}${key}`;
}

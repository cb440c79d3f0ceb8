import type { Claim, ClaimResult, IdempotencyStore, KeyReference } from "../../ports/idempotency-store.js";
import type { Clock } from "../../ports/runtime.js";
import { Line, type Waiting } from "./collections/line.js";

/** Claim in the store. `since` is when it was made or last returned. */
interface Held extends Claim, Waiting<Held> {}

/** Keeps claims in memory. Every method is atomic, because it finishes within one turn of the event loop. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  readonly #byAge = new Line<Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async claim(claim: Claim): Promise<ClaimResult> {
    return this.claimNow(claim);
  }

  /** Does the same as `claim`, within the caller's turn of the event loop. */
  claimNow(claim: Claim): ClaimResult {
    const name = nameOf(claim);
    const held = this.#held.get(name);
    if (held === undefined) {
      this.#hold(name, claim);
      return CLAIMED;
    }
    return held.operationId === claim.operationId
      ? CLAIMED
      : { outcome: "exists", operationId: held.operationId, fingerprint: held.fingerprint };
  }

  async find(reference: KeyReference): Promise<Pick<Claim, "operationId" | "fingerprint"> | undefined> {
    return this.findNow(reference);
  }

  /** Does the same as `find`, within the caller's turn of the event loop. */
  findNow(reference: KeyReference): Pick<Claim, "operationId" | "fingerprint"> | undefined {
    const held = this.#held.get(nameOf(reference));
    return held && { operationId: held.operationId, fingerprint: held.fingerprint };
  }

  async release(owner: KeyReference & { readonly operationId: string }): Promise<void> {
    this.releaseNow(owner);
  }

  /** Does the same as `release`, within the caller's turn of the event loop. */
  releaseNow(owner: KeyReference & { readonly operationId: string }): void {
    const name = nameOf(owner);
    const held = this.#held.get(name);
    if (held?.operationId !== owner.operationId) return;
    this.#held.delete(name);
    this.#byAge.remove(held);
  }

  async takeStale(request: { readonly olderThanMs: number; readonly limit: number }): Promise<Claim[]> {
    const now = this.#clock.now();
    const stale = this.#byAge.take(now, request.olderThanMs, request.limit);
    for (const held of stale) this.#byAge.join(held, now);
    return stale.map(({ tenant, definition, key, fingerprint, operationId }) => ({
      tenant,
      definition,
      key,
      fingerprint,
      operationId,
    }));
  }

  #hold(name: string, { tenant, definition, key, fingerprint, operationId }: Claim): void {
    const held: Held = {
      tenant,
      definition,
      key,
      fingerprint,
      operationId,
      since: 0,
      chain: undefined,
      before: undefined,
      after: undefined,
    };
    this.#held.set(name, held);
    this.#byAge.join(held, this.#clock.now());
  }
}

const CLAIMED = { outcome: "claimed" } as const;

/** Returns the three parts as one text. The lengths keep `a:b` + `c` and `a` + `b:c` apart. */
function nameOf({ tenant, definition, key }: KeyReference): string {
  return `${tenant.length}:${tenant}${definition.length}:${definition}${key}`;
}

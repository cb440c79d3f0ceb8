import type {
  BindResult,
  IdempotencyStore,
  KeyBinding,
  KeyReference,
} from "../../ports/idempotency-store.js";
import type { Clock } from "../../ports/runtime.js";
import { Line, type Waiting } from "./collections/line.js";

/** Binding in the store. `since` is when it was made or last returned. */
interface Held extends KeyBinding, Waiting<Held> {}

/** Keeps bindings in memory. Every method is atomic, because it finishes within one turn of the event loop. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  readonly #byAge = new Line<Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async bind(binding: KeyBinding): Promise<BindResult> {
    return this.bindNow(binding);
  }

  /** Does the same as `bind`, within the caller's turn of the event loop. */
  bindNow(binding: KeyBinding): BindResult {
    const name = nameOf(binding);
    const held = this.#held.get(name);
    if (held === undefined) {
      this.#hold(name, binding);
      return BOUND;
    }
    return held.operationId === binding.operationId
      ? BOUND
      : { outcome: "exists", operationId: held.operationId, fingerprint: held.fingerprint };
  }

  async find(reference: KeyReference): Promise<Pick<KeyBinding, "operationId" | "fingerprint"> | undefined> {
    return this.findNow(reference);
  }

  /** Does the same as `find`, within the caller's turn of the event loop. */
  findNow(reference: KeyReference): Pick<KeyBinding, "operationId" | "fingerprint"> | undefined {
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

  async takeStale(request: { readonly olderThanMs: number; readonly limit: number }): Promise<KeyBinding[]> {
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

  #hold(name: string, { tenant, definition, key, fingerprint, operationId }: KeyBinding): void {
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

const BOUND = { outcome: "bound" } as const;

/** Returns the three parts as one text. The lengths keep `a:b` + `c` and `a` + `b:c` apart. */
function nameOf({ tenant, definition, key }: KeyReference): string {
  return `${tenant.length}:${tenant}${definition.length}:${definition}${key}`;
}

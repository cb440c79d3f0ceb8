import type {
  BindResult,
  IdempotencyStore,
  KeyBinding,
  KeyReference,
} from "../../ports/idempotency-store.js";
import type { Clock } from "../../ports/runtime.js";
import { Line, type Waiting } from "./collections/line.js";

/** Key with the name under which it is found. */
export interface NamedKey extends KeyReference {
  readonly name: string;
}

/** Adds the name to a key. */
export function nameKey({ tenant, definition, key }: KeyReference): NamedKey {
  // The lengths keep `a:b` + `c` and `a` + `b:c` apart.
  const name = `${tenant.length}:${tenant}${definition.length}:${definition}${key}`;
  return { tenant, definition, key, name };
}

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

  async bind({ fingerprint, operationId, ...reference }: KeyBinding): Promise<BindResult> {
    const key = nameKey(reference);
    const held = this.findNow(key);
    if (held === undefined) this.bindNow(key, fingerprint, operationId);
    return held === undefined || held.operationId === operationId
      ? { outcome: "bound" }
      : { outcome: "exists", ...held };
  }

  async find(reference: KeyReference): Promise<Pick<KeyBinding, "operationId" | "fingerprint"> | undefined> {
    return this.findNow(nameKey(reference));
  }

  async release({
    operationId,
    ...reference
  }: KeyReference & { readonly operationId: string }): Promise<void> {
    this.releaseNow(nameKey(reference), operationId);
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

  /** Returns the operation that a key is bound to, within the caller's turn of the event loop. */
  findNow({ name }: NamedKey): Pick<KeyBinding, "operationId" | "fingerprint"> | undefined {
    const held = this.#held.get(name);
    return held && { operationId: held.operationId, fingerprint: held.fingerprint };
  }

  /** Binds a key that is free, within the caller's turn of the event loop. */
  bindNow({ tenant, definition, key, name }: NamedKey, fingerprint: string, operationId: string): void {
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

  /** Frees a key that is bound to this operation, within the caller's turn of the event loop. */
  releaseNow({ name }: NamedKey, operationId: string): void {
    const held = this.#held.get(name);
    if (held?.operationId !== operationId) return;
    this.#held.delete(name);
    this.#byAge.remove(held);
  }
}

import type { ExpiredOperation } from "../../../ports/separate-operation-store.js";
import type { Entries } from "./entry.js";

/** Interval at which an expired operation is handed out again. Milliseconds. */
const EXPIRED_MS = 60_000;

/** Checks that sweeps get each expired operation no earlier than documented and once per interval (I20). */
export class HandOuts {
  readonly #entries: Entries;
  /** Time before which an expired operation must not be handed out again, by id. */
  readonly #expiredFrom = new Map<string, number>();

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Checks and records the answer to `takeExpired`. */
  expired(limit: number, taken: readonly ExpiredOperation[]): void {
    this.#checkLimit(taken, limit);
    const now = this.#entries.now();
    for (const { id, tenant, definition, key } of taken) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      const { recorded } = entry;
      if (tenant !== recorded.tenant || definition !== recorded.definition || key !== recorded.key)
        this.#violated(`${id} expired as the operation of another key, tenant or definition`);
      if (!this.#entries.mayBeGone(entry)) this.#violated(`${id} was handed out before it expired`);
      if ((this.#expiredFrom.get(id) ?? now) > now) this.#violated(`${id} expired twice within a minute`);
      this.#expiredFrom.set(id, now + EXPIRED_MS);
    }
  }

  #checkLimit(taken: readonly { readonly id: string }[], limit: number): void {
    if (taken.length > limit)
      this.#violated(`${taken.length} operations were handed out, the limit is ${limit}`);
    if (new Set(taken.map(({ id }) => id)).size < taken.length)
      this.#violated("an operation was handed out twice in one answer");
  }

  #violated(what: string): void {
    this.#entries.violated("I20", what);
  }
}

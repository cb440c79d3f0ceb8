import { coalesce } from "../batching/coalesce.js";
import type { PendingRequest } from "../ports/operation-reads.js";
import type { Clock } from "../ports/runtime.js";

/** A count that is older is not used. */
const MAX_AGE_MS = 1_000;
/** A count that is older is renewed while it is still used, so that hardly any submission waits for one. */
const RENEWED_AFTER_MS = 500;
/** The ones that were asked for first are dropped. */
const MAX_COUNTS = 10_000;

const LIMITS = { maxBatch: 1_000, maxWaiting: 100_000 };

interface Count {
  /** Operations that the store has counted. */
  counted: number;
  /** Operations that this process has admitted since the count began. */
  added: number;
  /** When the count began. By `clock.elapsed`. */
  at: number;
  renewing: Promise<void> | undefined;
}

/** Counts of pending operations that are at most a second old. Concurrent requests share a call of the store. */
export class PendingCounts {
  readonly #clock: Clock;
  readonly #count: (request: PendingRequest) => Promise<number>;
  readonly #known = new Map<string, Count>();

  constructor(count: (requests: readonly PendingRequest[]) => Promise<readonly number[]>, clock: Clock) {
    this.#clock = clock;
    this.#count = coalesce({ ...LIMITS, flush: count });
  }

  /**
   * Returns undefined if the count is at most a second old, or a promise that resolves once the store has counted. Rejects as
   * the store does.
   */
  renewed(request: PendingRequest): Promise<void> | undefined {
    const count = this.#countOf(request);
    const ageMs = this.#clock.elapsed() - count.at;
    if (ageMs > RENEWED_AFTER_MS && count.renewing === undefined) {
      count.renewing = this.#renew(count, request);
      count.renewing.catch(() => {});
    }
    return ageMs > MAX_AGE_MS ? count.renewing : undefined;
  }

  /** Returns the last count with what this process has admitted since. */
  of(request: PendingRequest): number {
    const { counted, added } = this.#countOf(request);
    return counted + added;
  }

  /** Changes the counts of a definition and of a tenant in it, if they are known, until the next count. */
  add(definition: string, tenant: string, change: 1 | -1): undefined {
    for (const name of [nameOf({ definition }), nameOf({ definition, tenant })]) {
      const count = this.#known.get(name);
      if (count !== undefined) count.added += change;
    }
  }

  async #renew(count: Count, request: PendingRequest): Promise<void> {
    const { added } = count;
    const at = this.#clock.elapsed();
    try {
      count.counted = await this.#count(request);
      count.added -= added;
      count.at = at;
    } finally {
      count.renewing = undefined;
    }
  }

  #countOf(request: PendingRequest): Count {
    const name = nameOf(request);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const count: Count = { counted: 0, added: 0, at: Number.NEGATIVE_INFINITY, renewing: undefined };
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MAX_COUNTS) break;
      this.#known.delete(oldest);
    }
    this.#known.set(name, count);
    return count;
  }
}

/** Names of definitions contain no spaces. */
function nameOf({ definition, tenant = "" }: Pick<PendingRequest, "definition" | "tenant">): string {
  return `${definition} ${tenant}`;
}

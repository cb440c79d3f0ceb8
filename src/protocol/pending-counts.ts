import { coalesce } from "../batching/batches.js";
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
  /** Places that this process has taken since the count began. */
  added: number;
  /** How many of them were taken before the latest count began. That count replaces them. */
  before: number;
  /** Number of counts that have begun. */
  begun: number;
  /** Number of the count that `counted` is of. */
  counts: number;
  /** When the count began. By `clock.elapsed`. */
  at: number;
  renewing: Promise<void> | undefined;
}

const NEVER_COUNTED: Readonly<Count> = {
  counted: 0,
  added: 0,
  before: 0,
  begun: 0,
  counts: 0,
  at: Number.NEGATIVE_INFINITY,
  renewing: undefined,
};

/** A place of an operation that is about to be recorded. */
export interface Place {
  /** Gives the place back, because no operation was recorded. Further calls do nothing. */
  giveBack(): void;
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

  /** Takes a place in the counts of a definition and of a tenant in it, if they are known, until the next count. */
  take(definition: string, tenant: string): Place {
    const places: (() => void)[] = [];
    for (const name of [nameOf({ definition }), nameOf({ definition, tenant })]) {
      const count = this.#known.get(name);
      if (count !== undefined) places.push(placeIn(count));
    }
    return {
      giveBack: () => {
        for (const giveBack of places.splice(0)) giveBack();
      },
    };
  }

  async #renew(count: Count, request: PendingRequest): Promise<void> {
    count.before = count.added;
    count.begun += 1;
    const { begun } = count;
    const at = this.#clock.elapsed();
    try {
      count.counted = await this.#count(request);
      count.added -= count.before;
      count.counts = begun;
      count.at = at;
    } finally {
      count.renewing = undefined;
    }
  }

  #countOf(request: PendingRequest): Count {
    const name = nameOf(request);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const count: Count = { ...NEVER_COUNTED };
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MAX_COUNTS) break;
      this.#known.delete(oldest);
    }
    this.#known.set(name, count);
    return count;
  }
}

/** Takes a place of a count, and returns the function that gives it back. */
function placeIn(count: Count): () => void {
  const { begun } = count;
  count.added += 1;
  return () => {
    // A count that began later has replaced the place, and did not find its operation.
    if (count.counts > begun) return;
    count.added -= 1;
    if (count.begun > begun) count.before -= 1;
  };
}

/** Names of definitions contain no spaces. */
function nameOf({ definition, tenant = "" }: Pick<PendingRequest, "definition" | "tenant">): string {
  return `${definition} ${tenant}`;
}

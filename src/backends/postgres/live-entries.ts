import type { Clock } from "../../ports/runtime.js";
import { integer, type Row, text } from "../shared/row.js";
import type { Gateway } from "./calls/gateway.js";

/** The first entries of unfinished operations in the index of due work. */
export interface LiveEntries {
  /**
   * Returns a time for each definition, in epoch milliseconds. All its unfinished operations are due at that time or later. It is
   * found again at most once per poll interval, and seldom by a process that is idle.
   */
  since(definitions: readonly string[], isIdle: boolean): Promise<readonly number[]>;
  /** Lowers the times, as for `onLate` of the notifications. */
  lower(definitions?: ReadonlySet<string>, since?: number): void;
}

/** Options of {@link createLiveEntries}. */
export interface LiveEntriesOptions {
  readonly gateway: Gateway<unknown>;
  readonly pollMs: number;
  /** Interval at which an idle process finds the times. Milliseconds. */
  readonly idleMs: number;
  readonly clock: Clock;
}

interface Bound {
  since: number;
  foundAt: number;
  /** When the bound was last found without regard to an earlier one. */
  fullAt: number;
  /** The lowest time since the last search began, because its answer may be older. */
  lowered: number;
}

/** A server that crashes can lose that attempts began, so at this interval a bound is found without regard to the earlier one. */
const FULL_POLLS = 64;
/** Operations become visible within this time after they are due, unless their transaction stays open. */
const SLACK_POLLS = 2;

/**
 * Creates the bounds of a process. An operation becomes visible with the commit of its transaction, which can be long after it is
 * due. So when a transaction ends that was open at the last search, the next one begins where that transaction began.
 */
export function createLiveEntries(options: LiveEntriesOptions): LiveEntries {
  const { gateway, pollMs, idleMs, clock } = options;
  const bounds = new Map<string, Bound>();
  const transactions = new OpenTransactions();

  function boundOf(definition: string): Bound {
    const known = bounds.get(definition);
    if (known !== undefined) return known;
    const never = Number.NEGATIVE_INFINITY;
    const bound = { since: 0, foundAt: never, fullAt: never, lowered: Number.POSITIVE_INFINITY };
    bounds.set(definition, bound);
    return bound;
  }

  async function find(definitions: readonly string[], now: number): Promise<void> {
    const starts = definitions.map((definition) => {
      const bound = boundOf(definition);
      bound.lowered = Number.POSITIVE_INFINITY;
      if (Math.abs(now - bound.fullAt) < FULL_POLLS * pollMs) return bound.since;
      bound.fullAt = now;
      return 0;
    });
    const slackMs = SLACK_POLLS * pollMs;
    const rows = await gateway.call("live_since_v1", [definitions, starts, slackMs], { repeatable: true });
    const endedSince = rows[0] === undefined ? undefined : transactions.endedSince(rows[0]);
    for (const row of rows) {
      const bound = boundOf(text(row, "definition"));
      bound.since = Math.min(integer(row, "since_ms"), bound.lowered);
      bound.foundAt = now;
    }
    if (endedSince !== undefined) lower(undefined, endedSince);
  }

  function lower(definitions?: ReadonlySet<string>, since = 0): void {
    for (const [definition, bound] of bounds) {
      if (definitions?.has(definition) === false) continue;
      bound.since = Math.min(bound.since, since);
      bound.lowered = Math.min(bound.lowered, since);
    }
  }

  return {
    since: async (definitions, isIdle) => {
      const now = clock.now();
      const maxAgeMs = isIdle ? idleMs : pollMs;
      const old = definitions.filter((definition) => Math.abs(now - boundOf(definition).foundAt) >= maxAgeMs);
      if (old.length > 0) await find(old, now);
      return definitions.map((definition) => boundOf(definition).since);
    },
    lower,
  };
}

/** A look at the transactions of the server. */
interface Look {
  /** When it was made. Epoch milliseconds by the server. */
  readonly at: number;
  /** Right after the last transaction that had ended. */
  readonly next: bigint;
}

const MAX_LOOKS = 256;
/**
 * So many transactions, savepoints included, may have begun before a look without its knowledge, because none of them nor any
 * later one had ended. If there are more, the next full search finds what they have recorded.
 */
const MAX_OPEN = 64n;

/** Knows since when transactions may have been open that have ended since the last look. */
class OpenTransactions {
  /** The oldest transaction that was open at the last look. */
  #oldest: bigint | undefined;
  /** In the order of time. The first one was made before the oldest open transaction began. */
  #looks: Look[] = [];

  /** Notes a look. Returns since when transactions may have been open that have ended since the last one, if there are any. */
  endedSince(row: Row): number | undefined {
    const before = this.#oldest;
    const oldest = BigInt(text(row, "oldest"));
    this.#oldest = oldest;
    const since = before === undefined || before >= oldest ? undefined : (this.#lookBefore(before)?.at ?? 0);
    this.#looks.push({ at: integer(row, "at_ms"), next: BigInt(text(row, "next")) });
    const first = this.#lookBefore(oldest);
    if (first !== undefined) this.#looks = this.#looks.slice(this.#looks.indexOf(first));
    // Fewer looks mean only that a search begins earlier.
    if (this.#looks.length > MAX_LOOKS) this.#looks = this.#looks.filter((_, index) => index % 2 === 0);
    return since;
  }

  /** Returns the last look that was made before this transaction began. */
  #lookBefore(transaction: bigint): Look | undefined {
    return this.#looks.findLast(({ next }) => next <= transaction - MAX_OPEN);
  }
}

import type { Clock } from "../../ports/runtime.js";
import { integer, text } from "../shared/row.js";
import type { Gateway } from "./calls/gateway.js";

/** The first entries of unfinished operations in the index of due work. */
export interface LiveEntries {
  /**
   * Returns a time for each definition, in epoch milliseconds. All its unfinished operations are due at that time or later,
   * except for those that became visible long after they were due. It is found again at most once per poll interval.
   */
  since(definitions: readonly string[]): Promise<readonly number[]>;
  /** Lowers the times, as for `onLate` of the notifications. */
  lower(definitions?: ReadonlySet<string>, since?: number): void;
}

interface Bound {
  since: number;
  foundAt: number;
  /** When the bound was last found without regard to an earlier one. */
  fullAt: number;
  /** How often it was found since then. */
  turn: number;
  /** The lowest time since the last search began, because its answer may be older. */
  lowered: number;
}

/** At this interval, a bound is found without regard to the earlier one. */
const FULL_POLLS = 64;
/** Transactions that record or release operations commit within this time, or are late. */
const SLACK_POLLS = 2;

/**
 * Creates the bounds of a process. An operation can become visible after others that were due later: if its transaction
 * commits late, or if a server that crashed has lost that its attempt began. So a search begins one poll interval before the
 * last bound, every second one two, every fourth one four, and so on. An operation that becomes visible late is found after
 * at most twice as long again.
 */
export function createLiveEntries(gateway: Gateway<unknown>, pollMs: number, clock: Clock): LiveEntries {
  const bounds = new Map<string, Bound>();

  function boundOf(definition: string): Bound {
    const known = bounds.get(definition);
    if (known !== undefined) return known;
    const never = Number.NEGATIVE_INFINITY;
    const bound = { since: 0, foundAt: never, fullAt: never, turn: 0, lowered: Number.POSITIVE_INFINITY };
    bounds.set(definition, bound);
    return bound;
  }

  /** Begins a search, and returns where. */
  function begin(bound: Bound, now: number): number {
    bound.lowered = Number.POSITIVE_INFINITY;
    if (Math.abs(now - bound.fullAt) >= FULL_POLLS * pollMs) {
      bound.turn = 0;
      return 0;
    }
    bound.turn += 1;
    return Math.max(0, bound.since - (bound.turn & -bound.turn) * Math.abs(now - bound.foundAt));
  }

  async function find(definitions: readonly string[], now: number): Promise<void> {
    const starts = definitions.map((definition) => begin(boundOf(definition), now));
    const values = [definitions, starts, SLACK_POLLS * pollMs];
    for (const row of await gateway.call("live_since_v1", values, { repeatable: true })) {
      const bound = boundOf(text(row, "definition"));
      bound.since = Math.min(integer(row, "since_ms"), bound.lowered);
      bound.foundAt = now;
      if (bound.turn === 0) bound.fullAt = now;
    }
  }

  return {
    since: async (definitions) => {
      const now = clock.now();
      const old = definitions.filter((definition) => Math.abs(now - boundOf(definition).foundAt) >= pollMs);
      if (old.length > 0) await find(old, now);
      return definitions.map((definition) => boundOf(definition).since);
    },
    lower: (definitions, since = 0) => {
      for (const [definition, bound] of bounds) {
        if (definitions?.has(definition) === false) continue;
        bound.since = Math.min(bound.since, since);
        bound.lowered = Math.min(bound.lowered, since);
      }
    },
  };
}

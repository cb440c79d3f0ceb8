import { misuse } from "../contract/options.js";
import type { Clock } from "../ports/runtime.js";
import type { CheckedProcessor } from "./processors.js";

/** The time of a run. */
export interface RunTime {
  /** Returns whether an attempt of this processor may begin: its `attemptTimeoutMs` must end before attempts are released. */
  allows(processor: CheckedProcessor): boolean;
  /** Returns whether so little time is left that work should not go on beyond its next checkpoint. */
  nearsEnd(): boolean;
  /** Calls the function when attempts that still run must be released. Returns a function that prevents it. */
  onRelease(call: () => void): () => void;
  /** Calls the function when the time is over. Returns a function that prevents it. */
  onEnd(call: () => void): () => void;
}

/** Longest time before the release of attempts in which checkpoints release their operations. Milliseconds. */
const LAST_MS = 10_000;

/** Starts the time of a run. Without `maxMs`, it never ends. */
export function createRunTime(maxMs: number | undefined, clock: Clock): RunTime {
  if (maxMs === undefined)
    return { allows: () => true, nearsEnd: () => false, onRelease: () => () => {}, onEnd: () => () => {} };
  const workMs = maxMs - releaseMs(maxMs);
  const releasesAt = clock.elapsed() + workMs;
  const lastMs = Math.min(LAST_MS, Math.ceil(workMs / 10));
  return {
    allows: ({ definition: { checkpoint }, settings: { attemptTimeoutMs = 0 } }) => {
      // An operation that was released at its checkpoint must wait for the next run.
      const leastMs = checkpoint === undefined ? 0 : lastMs + 1;
      return clock.elapsed() + Math.max(attemptTimeoutMs, leastMs) <= releasesAt;
    },
    nearsEnd: () => clock.elapsed() + lastMs >= releasesAt,
    onRelease: (call) => clock.schedule(workMs, call),
    onEnd: (call) => clock.schedule(maxMs, call),
  };
}

/** Returns how much of the time is kept to release attempts that still run. Milliseconds. */
function releaseMs(maxMs: number): number {
  return Math.min(1_000, Math.ceil(maxMs / 10));
}

/**
 * Checks that attempts of each processor could begin in a run of this length.
 *
 * Throws `INVALID_OPTION`, naming the definitions whose `attemptTimeoutMs` is too long.
 */
export function checkRunTime(maxMs: number, processors: ReadonlyMap<string, CheckedProcessor>): void {
  const usableMs = maxMs - releaseMs(maxMs);
  const limits = [...processors].map(([name, { settings }]) => ({
    name,
    ms: settings.attemptTimeoutMs ?? 0,
  }));
  const tooLong = limits.filter(({ ms }) => ms > usableMs);
  if (tooLong.length === 0) return;
  const longestMs = Math.max(...tooLong.map(({ ms }) => ms));
  const least = Math.max(Math.min(longestMs + 1_000, Math.ceil((longestMs * 10) / 9)), longestMs + 1);
  const named = tooLong.map(({ name, ms }) => `${ms} for "${name}"`).join(", ");
  throw misuse(
    `Option \`maxMs\` of worker.runFor is ${maxMs}, which leaves ${usableMs} ms for work. \`attemptTimeoutMs\` is ` +
      `longer, so attempts would never begin: ${named}. Pass at least ${least}, lower \`attemptTimeoutMs\`, or leave ` +
      "these processors to another worker.",
  );
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after each attempt, as Standard Webhooks recommends. 24 h have room for 7 attempts in 17.6 h. */
const DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Maximum number of attempts of a delivery. */
export const MAX_ATTEMPTS: number = DELAYS_MS.length + 1;

/** State of a delivery whose attempt failed. */
export interface ScheduleRequest {
  /** Number of the attempt that failed. The first attempt is 1. */
  readonly attempt: number;
  /** How long the operation is still kept. Milliseconds. */
  readonly remainingMs: number;
  /** Delay that the receiver asked for. Milliseconds. Default: none. */
  readonly retryAfterMs?: number | undefined;
  /** Random number in [0, 1). */
  readonly random: number;
}

/**
 * Returns the delay until the next attempt, ±20 %, or undefined if the operation will not be kept that long. A longer
 * delay that the receiver asked for is respected while the operation is kept. Milliseconds.
 */
export function nextDelayMs({
  attempt,
  remainingMs,
  retryAfterMs = 0,
  random,
}: ScheduleRequest): number | undefined {
  const delayMs = Math.round((DELAYS_MS[attempt - 1] ?? Number.POSITIVE_INFINITY) * (0.8 + 0.4 * random));
  if (delayMs > remainingMs) return undefined;
  return retryAfterMs > delayMs && retryAfterMs <= remainingMs ? retryAfterMs : delayMs;
}

/**
 * Returns the delay that a `Retry-After` asks for, at most 24 h, or undefined if it is absent or malformed (RFC 9110
 * §10.2.3). Milliseconds.
 */
export function readRetryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - nowMs;
  return ms > 0 ? Math.min(ms, 24 * HOUR_MS) : undefined;
}

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
 * Returns the delay until the next attempt, ±20 %, or the longer one that the receiver asked for. Returns undefined if the
 * operation will not be kept that long. Milliseconds.
 */
export function nextDelayMs({
  attempt,
  remainingMs,
  retryAfterMs = 0,
  random,
}: ScheduleRequest): number | undefined {
  const ownMs = Math.round((DELAYS_MS[attempt - 1] ?? Number.POSITIVE_INFINITY) * (0.8 + 0.4 * random));
  const delayMs = Math.max(ownMs, retryAfterMs);
  return delayMs < remainingMs ? delayMs : undefined;
}

/** Forms of a date in HTTP (RFC 9110 §5.6.7). `Date.parse` reads more, such as the year in any text with a number. */
const HTTP_DATE = /^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?[, ]/;

/**
 * Returns the delay that a `Retry-After` asks for, or undefined if it is absent or malformed (RFC 9110 §10.2.3).
 * Infinite if it is a number too large to represent. Milliseconds.
 */
export function readRetryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * SECOND_MS;
  const ms = HTTP_DATE.test(value) ? Date.parse(value) - nowMs : Number.NaN;
  return ms > 0 ? ms : undefined;
}

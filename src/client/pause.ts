import { MAX_TIMER_MS } from "../contract/timers.js";

/**
 * Waits for a time, or for work that ends before. Resolves with the result of the work, or with undefined if the time
 * is over. Rejects with the reason of the signal if it is aborted before. The work is aborted in both cases.
 * Milliseconds.
 */
export function within<Result>(
  ms: number,
  signal?: AbortSignal,
  work?: (limit: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  const timer = setTimeout(stop, Math.min(ms, MAX_TIMER_MS));
  // Only `aborted` and `addEventListener` are in every implementation: React Native has neither `reason` nor
  // `throwIfAborted`.
  signal?.addEventListener("abort", stop);
  const result = new Promise<Result | undefined>((resolve, reject) => {
    limit.signal.addEventListener("abort", () =>
      signal?.aborted ? reject(reasonOf(signal)) : resolve(undefined),
    );
    if (signal?.aborted) stop();
    else work?.(limit.signal).then(resolve, reject);
  });
  return result.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener?.("abort", stop);
  });
}

/** Returns why a signal was aborted, or an error with the name `AbortError` if the platform does not say. */
export function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error("The call was aborted."), { name: "AbortError" });
}

/**
 * Returns the time until the next try: doubles from `baseMs` up to 20 s, with jitter, so that clients that failed
 * together do not come back together. Milliseconds.
 */
export function backoff(tries: number, baseMs: number): number {
  return Math.min(20_000, baseMs * 2 ** tries) * (0.5 + Math.random() / 2);
}

/**
 * Returns the time in a `Retry-After` field (RFC 9110 §10.2.3): seconds or a date. Returns 0 if the field is absent,
 * malformed, or hidden by the browser. Milliseconds.
 */
export function retryAfterMs(field: string | null | undefined): number {
  const text = `${field}`;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Math.max(0, ms) || 0;
}

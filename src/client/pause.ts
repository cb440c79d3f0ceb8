/** Resolves after a time. Rejects with the reason of the signal if it is aborted before. Milliseconds. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}

const MAX_TIMER_MS = 2 ** 31 - 1;

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
export function retryAfterMs(field: string | null): number {
  const ms = /^\s*\d+\s*$/.test(field ?? "") ? Number(field) * 1_000 : Date.parse(field ?? "") - Date.now();
  return Math.max(0, ms) || 0;
}

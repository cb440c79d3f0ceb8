import { type AnyOperation, hasEnded, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";
import { backoff, retryAfterMs, within } from "./pause.js";
import { send } from "./send.js";

/** Reads an operation until it has ended, or, if `every` is true, until it has a state that was not returned before. */
export type ReadState = (every: boolean, signal: AbortSignal | undefined) => Promise<AnyOperation>;

/** Longer waits are cut by common proxies after 30 s. */
const MAX_WAIT_SECONDS = 25;

/** A request that failed after this time was cut while the service waited. Milliseconds. */
const CUT_MS = 1_000;

/** Shortest time between two requests. Milliseconds. */
const MIN_INTERVAL_MS = 100;

/**
 * Creates a reader of the states of an operation. It asks the service to wait, for half as long after each request that
 * was cut, and polls if the service does not wait.
 */
export function createReader(settings: ClientSettings, url: string): ReadState {
  /** `ETag` of the latest state. Browsers may hide it. */
  let tag: string | null | undefined;
  let text: string | undefined;
  /** Time of the next request at the earliest. By `performance.now()`. */
  let notBefore = 0;
  return async (every, signal) => {
    let waitSeconds = MAX_WAIT_SECONDS;
    // Without a tag, the service can only wait for the end.
    const canWait = (): boolean => waitSeconds > 0 && (!every || !!tag);
    for (let polls = 0; ; polls++) {
      const pauseMs = notBefore - performance.now();
      if (pauseMs > 0) await within(pauseMs, signal);
      let asked = false;
      let startedAt = 0;
      const { status, body, headers } = await send(settings, {
        url,
        headers: () => {
          asked = canWait();
          startedAt = performance.now();
          return {
            ...(asked && { prefer: `wait=${waitSeconds}` }),
            ...(every && tag && { "if-none-match": tag }),
          };
        },
        onFailure: () => {
          if (asked && performance.now() - startedAt >= CUT_MS) waitSeconds >>= 1;
        },
        signal,
      });
      const now = performance.now();
      const waited = headers.has("preference-applied") || now - startedAt > waitSeconds * 500;
      const operation = status === 304 ? undefined : toOperation(body, url);
      if (operation) tag = headers.get("etag");
      notBefore =
        canWait() && (waited || !asked)
          ? startedAt + MIN_INTERVAL_MS
          : now + (retryAfterMs(headers.get("retry-after")) || backoff(polls, 500));
      if (!operation) continue;
      const before = text;
      text = JSON.stringify(operation);
      if (hasEnded(operation) || (every && text !== before)) return operation;
    }
  };
}

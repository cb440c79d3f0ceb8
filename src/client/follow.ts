import { type AnyOperation, hasEnded, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";
import { backoff, pause, retryAfterMs } from "./pause.js";
import { send } from "./send.js";

/** The latest state that a reader has seen. */
export interface Seen {
  readonly operation: AnyOperation;
  /** `ETag` of the state, or null if the browser hides it. */
  readonly tag: string | null;
  /** Time of the next request at the earliest. By `performance.now()`. */
  readonly notBefore: number;
}

/** Operation to follow, and the state to continue from. */
export interface Following {
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** Whether to return each new state, or only the end. */
  readonly every: boolean;
  readonly since: Seen | undefined;
}

/** Longer waits are cut by common proxies after 30 s. */
const MAX_WAIT_SECONDS = 25;

/** A request that failed after this time was cut while the service waited. Milliseconds. */
const CUT_MS = 1_000;

/** Shortest time between two requests. Milliseconds. */
const MIN_INTERVAL_MS = 100;

/**
 * Reads an operation until it has a state that was not seen, or has ended. Asks the service to wait, for half as long
 * after each request that was cut. Polls if the service does not wait.
 */
export async function nextState(
  settings: ClientSettings,
  { url, signal, every, since }: Following,
): Promise<Seen> {
  let { tag = null, notBefore = 0 } = since ?? {};
  let text = JSON.stringify(since?.operation);
  let waitSeconds = MAX_WAIT_SECONDS;
  // Without a tag, the service can only wait for the end.
  const canWait = (): boolean => waitSeconds > 0 && (!every || tag !== null);
  for (let polls = 0; ; polls++) {
    const startedAt = await startAt(notBefore, signal);
    let asked = false;
    const { status, body, header } = await send(settings, {
      method: "GET",
      url,
      headers: () => {
        asked = canWait();
        return {
          ...(asked ? { prefer: `wait=${waitSeconds}` } : {}),
          ...(every && tag !== null ? { "if-none-match": tag } : {}),
        };
      },
      waitMs: () => (asked ? waitSeconds * 1_000 : 0),
      onFailure: (tookMs) => {
        if (asked && tookMs >= CUT_MS) waitSeconds >>= 1;
      },
      signal,
    });
    const now = performance.now();
    const waited = header("preference-applied") !== null || now - startedAt > waitSeconds * 500;
    const operation = status === 304 ? undefined : toOperation(body, url);
    if (operation) tag = header("etag");
    notBefore =
      canWait() && (waited || !asked)
        ? startedAt + MIN_INTERVAL_MS
        : now + (retryAfterMs(header("retry-after")) || backoff(polls, 500));
    const newText = operation ? JSON.stringify(operation) : text;
    if (operation && (hasEnded(operation) || (every && newText !== text)))
      return { operation, tag, notBefore };
    text = newText;
  }
}

/** Waits until a time, and returns the time when it is over. By `performance.now()`. */
async function startAt(time: number, signal: AbortSignal | undefined): Promise<number> {
  const ms = time - performance.now();
  if (ms > 0) await pause(ms, signal);
  return performance.now();
}

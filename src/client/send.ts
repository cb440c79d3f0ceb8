import { AsyncReplyError, type ErrorCode } from "../contract/errors.js";
import type { Problem } from "../contract/problem.js";
import type { ClientSettings } from "./options.js";
import { backoff, pause, retryAfterMs } from "./pause.js";

/** A request of a client. */
export interface Call {
  readonly method: string;
  readonly url: string;
  /** Header fields besides those of the client. Called before every try. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Reads the body of a reply with a status from 200 to 299. Default: as JSON. */
  readonly read?: (response: Response) => Promise<unknown>;
  /** How long the service was asked to wait. Called before every try. Milliseconds. Default: 0. */
  readonly waitMs?: () => number;
  /** Is called after every try that may have reached the service and is repeated, with its time in milliseconds. */
  readonly onFailure?: (tookMs: number) => void;
}

/** Reply of a service. The status is 0 if no reply came. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** Returns a header field. Browsers hide most fields of other origins. */
  readonly header: (name: string) => string | null;
  readonly cause?: unknown;
}

/**
 * Sends a request until there is an answer. Repeats it after network errors and statuses that promise nothing, at the
 * earliest after `Retry-After`.
 *
 * Throws `REQUEST_REFUSED` if another status refuses it, and `SERVICE_UNAVAILABLE` after `giveUpAfterMs`.
 */
export async function send(settings: ClientSettings, call: Call): Promise<Reply> {
  const deadline = performance.now() + settings.giveUpAfterMs;
  let mayRefresh = settings.canRefresh;
  for (let failures = 0; ; failures++) {
    const startedAt = performance.now();
    let reply = await attempt(settings, call);
    if (reply.status === 401 && mayRefresh) {
      mayRefresh = false;
      reply = await attempt(settings, call);
    }
    if (isAnswer(reply)) return reply;
    if (!isTransient(reply)) throw toError("REQUEST_REFUSED", reply, "The service refused the request");
    const now = performance.now();
    call.onFailure?.(now - startedAt);
    const pauseMs = Math.max(backoff(failures, 250), retryAfterMs(reply.header("retry-after")));
    if (now + pauseMs > deadline)
      throw toError("SERVICE_UNAVAILABLE", reply, "The service did not answer in time");
    await pause(pauseMs, call.signal);
  }
}

/** Sends a request once. Resolves with status 0 if no complete reply arrives in time. */
async function attempt(settings: ClientSettings, call: Call): Promise<Reply> {
  const { method, url, signal, body = null } = call;
  signal?.throwIfAborted();
  const headers = { accept: "application/json", ...(await settings.headers()), ...call.headers?.() };
  const limit = new AbortController();
  const stop = (): void => limit.abort(signal?.reason);
  // Throws for a malformed address or header field, which no retry can repair.
  const request = new Request(url, { method, headers, body, signal: limit.signal });
  const timer = setTimeout(stop, settings.requestTimeoutMs + (call.waitMs?.() ?? 0));
  signal?.addEventListener("abort", stop);
  try {
    const response = await settings.fetch(request);
    const { ok, status } = response;
    return {
      status,
      body: ok && call.read ? await call.read(response) : parse(await response.text(), ok),
      header: (name) => response.headers.get(name),
    };
  } catch (cause) {
    signal?.throwIfAborted();
    return { status: 0, body: undefined, header: () => null, cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Parses a body. Throws if it should be JSON and is not: something between client and service answered. */
function parse(text: string, mustBeJson: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (mustBeJson) throw new Error("The reply is not JSON.");
    return undefined;
  }
}

function isAnswer({ status }: Reply): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

/** Returns whether the same request may succeed later. Status 409 tells two cases apart by its problem type. */
function isTransient({ status, body }: Reply): boolean {
  if (status === 409) return /(creation|submission)-in-progress$/.test(toProblem(status, body).type);
  return status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
}

function toProblem(status: number, body: unknown): Problem {
  return { type: "about:blank", title: `HTTP ${status}`, ...(body as Problem | undefined), status };
}

function toError(code: ErrorCode, { status, body, cause }: Reply, what: string): AsyncReplyError {
  // Browsers do not tell a page whether the network failed or the service does not allow its origin.
  if (status === 0)
    return new AsyncReplyError(code, `${what}: no reply. Try again. In browsers, check CORS.`, {
      cause,
    });
  const problem = toProblem(status, body);
  return new AsyncReplyError(code, `${what}: ${problem.detail ?? problem.title}`, { problem });
}

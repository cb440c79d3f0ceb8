import { AsyncReplyError, type ErrorCode, quoting } from "../contract/errors.js";
import type { Problem } from "../contract/problem.js";
import type { ClientHeaders, ClientSettings } from "./options.js";
import { backoff, retryAfterMs, within } from "./pause.js";

/** A request of a client. */
export interface Call {
  /** Default: GET. */
  readonly method?: string | undefined;
  readonly url: string;
  /**
   * Header fields besides those of the client. Called before every try, which may take longer by the time for which
   * `prefer` asks the service to wait.
   */
  readonly headers?: () => ClientHeaders;
  readonly body?: string | null;
  readonly signal?: AbortSignal | undefined;
  /** Returns the reply for an operation that does not exist, instead of throwing. */
  readonly mayMiss?: true;
  /** Reads the body of a reply with a status from 200 to 299. Default: as JSON. */
  readonly read?: (response: Response) => Promise<unknown>;
  /** Is called and awaited before every request. */
  readonly onSend?: (request: Request) => Promise<void>;
  /** Is called after every try that may have reached the service and got no answer. */
  readonly onFailure?: () => void;
}

/** Reply of a service. */
interface Reply {
  /** Is 599 if no reply came, and 0 for redirects in browsers, which hide them. */
  readonly status: number;
  readonly body?: unknown;
  /** Browsers hide most fields of other origins. Absent if no reply came. */
  readonly headers?: Headers;
  /** Present if no reply came. */
  readonly cause?: unknown;
}

/** Reply of a service that accepts the request. */
export type Answer = Reply & { readonly headers: Headers };

/** Redirects of a request that are followed at most. */
const MAX_REDIRECTS = 5;

/**
 * Sends a request until there is an answer. Repeats it after network errors and statuses that promise nothing, at the
 * earliest after `Retry-After`.
 *
 * Throws `REQUEST_REFUSED` if another status refuses it, and `SERVICE_UNAVAILABLE` after `giveUpAfterMs`.
 */
export async function send(settings: ClientSettings, call: Call): Promise<Answer> {
  const deadline = performance.now() + settings.giveUpAfterMs;
  let mayRefresh = typeof settings.headers === "function";
  for (let failures = 0; ; ) {
    const reply = await attempt(settings, call);
    const { status, body, headers } = reply;
    if (status === 401 && mayRefresh) {
      mayRefresh = false;
      continue;
    }
    // Problems of proxies have no name.
    const { name, type } = (body ?? {}) as Partial<Problem>;
    const said = `${status} ${name ?? type}`;
    if (/^(2|304)/.test(said) || (call.mayMiss && said === "404 not-found")) return reply as Answer;
    // The same request may succeed later, but not while the service is not configured.
    const isTransient = /^409.*n-in-progress$|^(408|425|429|5(?!.*not-configured$))/.test(said);
    if (!isTransient) throw toError("REQUEST_REFUSED", reply, call);
    call.onFailure?.();
    const pauseMs = Math.max(backoff(failures++, 250), retryAfterMs(headers?.get("retry-after")));
    if (performance.now() + pauseMs > deadline) throw toError("SERVICE_UNAVAILABLE", reply, call);
    await within(pauseMs, call.signal);
  }
}

/** Sends a request once, and again to where it is redirected. */
async function attempt(
  settings: ClientSettings,
  {
    url: start,
    method = "GET",
    headers,
    body = null,
    signal,
    read = (response) => response.json(),
    onSend,
  }: Call,
): Promise<Reply> {
  const own = headers?.();
  const ms = settings.requestTimeoutMs + 1_000 * Number(own?.prefer?.slice("wait=".length) ?? 0);
  const work = async (limit: AbortSignal): Promise<Reply> => {
    const common = typeof settings.headers === "function" ? await settings.headers() : settings.headers;
    const fields = new Headers({ accept: "application/json" });
    // Names of header fields have no case, so later fields replace earlier ones with another spelling.
    for (const each of [common, settings.callHeaders, own])
      new Headers(each).forEach((value, name) => {
        fields.set(name, value);
      });
    let url = start;
    for (let redirects = 0; ; ) {
      // Throws for a malformed address or header field, which no retry can repair.
      const request = new Request(url, { method, headers: fields, body, signal: limit, redirect: "manual" });
      await onSend?.(request);
      // Otherwise it would be sent after the caller has given up, because the header fields came late.
      limit.throwIfAborted();
      try {
        const response = await settings.fetch(request);
        const { ok, status, headers } = response;
        const next = redirects++ < MAX_REDIRECTS && /^30[78]/.test(`${status}`) && locate(headers, request);
        if (!next) {
          // A success that is not JSON is no answer: something between client and service answered.
          const content = ok ? read(response) : response.json().catch(() => {});
          return { status, headers, body: await content };
        }
        await response.body?.cancel();
        url = next;
      } catch (cause) {
        return { status: 599, cause };
      }
    }
  };
  return (await within(ms, signal, work)) ?? { status: 599, cause: "timeout" };
}

/** Returns the address in `Location`, unless it is of another origin, which must not get the fields and the body. */
function locate(headers: Headers, { url }: Request): string | undefined {
  try {
    // Throws if there is no location.
    const { href } = new URL(headers.get("location") ?? "//", url);
    if (href.startsWith(new URL("/", url).href)) return href;
  } catch {}
  return undefined;
}

function toError(
  code: ErrorCode,
  { status, body, headers, cause }: Reply,
  { method = "GET", url }: Call,
): AsyncReplyError {
  // Browsers do not tell a page whether the network failed or the service does not allow its origin.
  if (!headers) return new AsyncReplyError(code, "No reply. Try again. In browsers, check CORS.", { cause });
  const location = headers.get("location") ?? "another address";
  const problem = body as Problem | null | undefined;
  const said =
    status < 400
      ? { detail: `The service redirects to ${location}. Check \`baseUrl\`.` }
      : // Without a problem, something else than the service may have answered, such as at a wrong base path.
        { ...(!problem?.title && { detail: `HTTP ${status} for ${method} ${url}` }), ...problem };
  return quoting({ type: "about:blank", title: `HTTP ${status}`, ...said, status }, code);
}

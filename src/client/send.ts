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
  /** Name of a problem with which the reply is returned. Any other is thrown. Default: none. */
  readonly expected?: string;
  /** Status after which the request is repeated for as long as it takes. Default: none. */
  readonly patientWith?: number;
  /** Reads the body of a reply with a status from 200 to 299. Default: as JSON. */
  readonly read?: (response: Response) => Promise<unknown>;
  /** Is called with the header fields of a try, and awaited, before it is sent. May add fields. */
  readonly onSend?: (headers: Record<string, string>) => Promise<void>;
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
 * Throws `REQUEST_REFUSED` if another status refuses it, `SERVICE_UNAVAILABLE` after `giveUpAfterMs`, and
 * `INVALID_OPTION` if the address or a header field is malformed.
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
    const name = (body as Partial<Problem> | undefined)?.name;
    if (isSuccess(status) || status === 304 || (name && name === call.expected)) return reply as Answer;
    if (!mayRepeat(reply)) throw toError("REQUEST_REFUSED", reply, call);
    call.onFailure?.();
    const pauseMs = Math.max(backoff(failures++, 250), retryAfterMs(headers?.get("retry-after")));
    if (performance.now() + pauseMs > deadline && status !== call.patientWith)
      throw toError("SERVICE_UNAVAILABLE", reply, call);
    await within(pauseMs, call.signal);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns whether the same request may succeed later. */
function mayRepeat({ status, body }: Reply): boolean {
  // Problems of proxies have no name.
  const { name, type } = (body ?? {}) as Partial<Problem>;
  const is = (problem: string): boolean => `${name ?? type}`.endsWith(problem);
  if (status === 409) return is("creation-in-progress") || is("submission-in-progress");
  // A service that is not configured stays so until it is deployed again.
  if (status >= 500) return !is("not-configured");
  return status === 408 || status === 425 || status === 429;
}

/** Sends a request once, and again to where it is redirected. */
async function attempt(settings: ClientSettings, call: Call): Promise<Reply> {
  const { method = "GET", headers: getOwn, body = null, signal, read = readJson, onSend } = call;
  const own = getOwn?.();
  const waitSeconds = Number(own?.prefer?.slice("wait=".length) ?? 0);
  const work = async (limit: AbortSignal): Promise<Reply> => {
    const common = typeof settings.headers === "function" ? await settings.headers() : settings.headers;
    const headers = merge({ accept: "application/json" }, common, settings.callHeaders, own);
    let url = absolute(call.url);
    await onSend?.(headers);
    for (let redirects = 0; ; redirects++) {
      // Otherwise it would be sent after the caller has given up, because the header fields came late.
      if (limit.aborted) return NO_REPLY;
      try {
        // Not a `Request`: React answers repeated ones from memory unless the signal is passed on its own.
        const response = await settings.fetch(url, {
          method,
          headers,
          body,
          redirect: "manual",
          signal: limit,
        });
        const { status } = response;
        const isFollowed = (status === 307 || status === 308) && redirects < MAX_REDIRECTS;
        const next = isFollowed && locate(response.headers, url);
        if (!next) {
          // A success that is not JSON is no answer: something between client and service answered.
          const content = isSuccess(status) ? read(response) : readJson(response).catch(() => {});
          return { status, headers: response.headers, body: await content };
        }
        await response.body?.cancel();
        url = next;
      } catch (cause) {
        return { ...NO_REPLY, cause };
      }
    }
  };
  return (await within(settings.requestTimeoutMs + 1_000 * waitSeconds, signal, work)) ?? NO_REPLY;
}

const NO_REPLY: Reply = { status: 599, cause: "timeout" };

function readJson(response: Response): Promise<unknown> {
  return response.json();
}

/** Joins header fields. Names have no case, so later fields replace earlier ones with another spelling. */
function merge(...lists: readonly (ClientHeaders | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  try {
    for (const each of lists)
      new Headers(each).forEach((value, name) => {
        merged[name] = value;
      });
  } catch (cause) {
    const detail = `\`headers\` must be an object of valid names and values. ${cause}`;
    throw new AsyncReplyError("INVALID_OPTION", detail, { cause });
  }
  return merged;
}

/** Returns a relative address of a page as an absolute one. */
function absolute(url: string): string {
  try {
    return new Request(url).url;
  } catch (cause) {
    const detail =
      "Option `baseUrl` must be an address such as `https://api.example.com`, without credentials. Only pages may have a relative one.";
    throw new AsyncReplyError("INVALID_OPTION", detail, { cause });
  }
}

/** Returns the address in `Location`, unless it is of another origin, which must not get the fields and the body. */
function locate(headers: Headers, url: string): string | undefined {
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
  if (!headers)
    return new AsyncReplyError(code, `No reply to ${method} ${url}. Try again. In browsers, check CORS.`, {
      cause,
    });
  const location = headers.get("location") ?? "another address";
  const problem = body as Problem | null | undefined;
  const said =
    status < 400
      ? { detail: `The service redirects to ${location}. Check \`baseUrl\`.` }
      : // Without a problem, something else than the service may have answered, such as at a wrong base path.
        { ...(!problem?.title && { detail: `HTTP ${status} for ${method} ${url}` }), ...problem };
  return quoting({ type: "about:blank", title: `HTTP ${status}`, ...said, status }, code);
}

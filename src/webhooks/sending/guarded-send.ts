import { AsyncReplyError } from "../../contract/errors.js";
import type { Clock } from "../../ports/runtime.js";
import { inTime } from "../in-time.js";
import { type BuiltIns, loadBuiltIns } from "./built-ins.js";
import { HOW_TO_TRUST, hostOf, isPublicAddress, parseAddress } from "./judge-address.js";
import { createLookUp } from "./look-up.js";
import type { WebhookAnswer, WebhookRequest } from "./send.js";

/** Time limit for looking up the receiver and connecting to it. Includes TLS. */
const CONNECT_TIMEOUT_MS = 5_000;
const TOO_LATE = `There was no connection to the receiver within ${CONNECT_TIMEOUT_MS} ms.`;

/** Limits how long a receiver with many unreachable addresses can occupy a worker. */
const MAX_ADDRESSES = 4;

/** Errors of a connection that another address of the same host might avoid. Nothing has been sent yet. */
const UNREACHABLE = ["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"];

/**
 * Creates a `send` that connects only to addresses of the public internet, and to trusted origins. It resolves the host
 * once, checks every address, and connects to a checked address, so a host that resolves to something else a moment
 * later changes nothing. It never follows redirects and never reads the body of an answer.
 *
 * Throws `INVALID_OPTION` if the runtime lacks the modules of Node.js that this needs.
 */
export function createGuardedSend(
  trustedOrigins: ReadonlySet<string>,
): (request: WebhookRequest, clock: Clock) => Promise<WebhookAnswer> {
  const builtIns = loadBuiltIns();
  const lookUp = createLookUp(builtIns);
  return ({ signal: given, ...request }, clock) =>
    inTime(
      { signal: given, clock, ms: CONNECT_TIMEOUT_MS, detail: TOO_LATE },
      async (signal, onConnected) => {
        const url = new URL(request.url);
        const isTrusted = trustedOrigins.has(url.origin);
        const addresses = await lookUp({ host: hostOf(url), isTrusted, signal, clock });
        signal.throwIfAborted();
        const hidden = isTrusted ? undefined : addresses.find((each) => !isPublicAddress(each));
        if (hidden !== undefined) throw refused(url, hidden);
        const sending = { ...request, signal, onConnected };
        return postToOneOf(addresses.slice(0, MAX_ADDRESSES), url, sending, builtIns);
      },
    );
}

interface Sending extends WebhookRequest {
  readonly onConnected: () => void;
}

function refused({ hostname }: URL, address: string): AsyncReplyError {
  return new AsyncReplyError(
    "FORBIDDEN",
    `The receiver ${hostname} resolves to ${address}, which is not an address of the public internet. ${HOW_TO_TRUST}`,
  );
}

async function postToOneOf(
  [address, ...others]: readonly string[],
  url: URL,
  request: Sending,
  builtIns: BuiltIns,
): Promise<WebhookAnswer> {
  if (address === undefined)
    throw new AsyncReplyError("FORBIDDEN", `The host ${url.hostname} has no address.`);
  try {
    return await post(address, url, request, builtIns);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (others.length === 0 || typeof code !== "string" || !UNREACHABLE.includes(code)) throw error;
    return postToOneOf(others, url, request, builtIns);
  }
}

/**
 * Sends to one address. The address is the `host` of the connection and no `lookup` hook returns it, because some
 * runtimes ignore that hook or call it differently. A runtime that ignores `servername` fails the TLS handshake.
 */
function post(
  address: string,
  url: URL,
  { headers, body, signal, onConnected }: Sending,
  { http, https }: BuiltIns,
): Promise<WebhookAnswer> {
  const host = hostOf(url);
  const options = {
    method: "POST",
    host: address,
    port: url.port === "" ? undefined : Number(url.port),
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host },
    // An address cannot be the name of a server in TLS (RFC 6066 §3).
    ...(parseAddress(host) === undefined ? { servername: host } : {}),
    // A connection of an earlier webhook may lead to an address that was checked for another host.
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? https : http).request(options, (response) => {
      const retryAfter = response.headers["retry-after"];
      resolve({
        status: response.statusCode ?? 0,
        retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
      });
      response.destroy();
    });
    sent.on("error", reject);
    sent.on("finish", onConnected);
    sent.end(body);
  });
}

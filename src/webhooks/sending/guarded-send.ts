import { AsyncReplyError } from "../../contract/errors.js";
import { parseAddress } from "./addresses.js";
import { type BuiltIns, loadBuiltIns } from "./built-ins.js";
import { isPublicAddress } from "./judge-address.js";
import { hostOf } from "./receiver-url.js";
import type { SendWebhook, WebhookAnswer, WebhookRequest } from "./send.js";

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
export function createGuardedSend(trustedOrigins: ReadonlySet<string>): SendWebhook {
  const builtIns = loadBuiltIns();
  return async (request) => {
    const url = new URL(request.url);
    const addresses = await resolve(builtIns, hostOf(url));
    const hidden = trustedOrigins.has(url.origin)
      ? undefined
      : addresses.find((each) => !isPublicAddress(each));
    if (hidden !== undefined) throw refused(url, hidden);
    return postToOneOf(addresses.slice(0, MAX_ADDRESSES), url, request, builtIns);
  };
}

/** Returns the addresses of a host, IPv4 first, because more networks reach them. */
async function resolve({ dns }: BuiltIns, host: string): Promise<string[]> {
  if (parseAddress(host) !== undefined) return [host];
  const found = await dns.promises.lookup(host, { all: true });
  return [...found].sort((a, b) => a.family - b.family).map(({ address }) => address);
}

function refused({ hostname }: URL, address: string): AsyncReplyError {
  return new AsyncReplyError(
    "FORBIDDEN",
    `The receiver ${hostname} resolves to ${address}, which is not an address of the public internet.`,
  );
}

async function postToOneOf(
  [address, ...others]: readonly string[],
  url: URL,
  request: WebhookRequest,
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
  { headers, body, signal }: WebhookRequest,
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
    sent.end(body);
  });
}

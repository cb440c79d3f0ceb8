import { isPublicAddress, parseAddress } from "./judge-address.js";

const MAX_LENGTH = 2_048;

/**
 * Returns the URL of a receiver, or a sentence that says why it must not be called. Judges everything that needs no
 * DNS: the scheme, the port, credentials, and hosts that are addresses. Trusted origins may use any scheme, port and
 * address.
 */
export function readReceiverUrl(text: unknown, trustedOrigins: ReadonlySet<string>): URL | string {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !URL.canParse(text))
    return `it is not an absolute URL of at most ${MAX_LENGTH} characters`;
  const url = new URL(text);
  url.hash = "";
  if (url.username !== "" || url.password !== "") return "it contains credentials";
  if (trustedOrigins.has(url.origin)) return url;
  if (url.protocol !== "https:") return "its scheme is not https";
  if (url.port !== "") return "its port is not 443";
  const host = hostOf(url);
  // URL parsers have already turned other notations of an address, such as 2130706433, into this one.
  if (parseAddress(host) !== undefined && !isPublicAddress(host)) return "its address is not public";
  return url;
}

/** Returns the host of a URL, and IPv6 addresses without their brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

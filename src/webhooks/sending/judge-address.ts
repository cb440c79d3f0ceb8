const MAX_LENGTH = 2_048;

/** Why a receiver must not be called. */
export interface RefusedReceiver {
  /** Sentence for everyone. */
  readonly detail: string;
  /** The same with advice for those who configure the webhooks. */
  readonly advice: string;
}

/** Advice for those who configure the webhooks, if trust would allow a receiver. */
export const HOW_TO_TRUST =
  "For tests and your own servers, add its origin to `trustedOrigins` of createWebhooks.";

/**
 * Returns the URL of a receiver, or why it must not be called. Judges everything that needs no
 * DNS: the scheme, the port, credentials, and hosts that are addresses. Trusted origins may use any scheme, port and
 * address.
 */
export function readReceiverUrl(text: unknown, trustedOrigins: ReadonlySet<string>): URL | RefusedReceiver {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !URL.canParse(text))
    return refused(`it is not an absolute URL of at most ${MAX_LENGTH} characters`);
  const url = new URL(text);
  url.hash = "";
  if (url.username !== "" || url.password !== "") return refused("it contains credentials");
  if (trustedOrigins.has(url.origin)) return url;
  if (url.protocol !== "https:") return refused("its scheme is not https", HOW_TO_TRUST);
  if (url.port !== "") return refused("its port is not 443", HOW_TO_TRUST);
  const host = hostOf(url);
  // URL parsers have already turned other notations of an address, such as 2130706433, into this one.
  if (parseAddress(host) !== undefined && !isPublicAddress(host))
    return refused("its address is not public", HOW_TO_TRUST);
  return url;
}

function refused(reason: string, advice?: string): RefusedReceiver {
  const detail = `The URL of the receiver cannot be used: ${reason}.`;
  return { detail, advice: advice === undefined ? detail : `${detail} ${advice}` };
}

/** Returns the host of a URL, and IPv6 addresses without their brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

/** A block of addresses: its first bytes, and how many bits of them count. */
type Block = readonly [bits: number, ...bytes: readonly number[]];

/** IPv4 addresses that are not receivers on the internet (IANA Special-Purpose Address Registry). */
const REFUSED_IPV4: readonly Block[] = [
  [8, 0],
  [8, 10],
  [10, 100, 64],
  [8, 127],
  [16, 169, 254],
  [12, 172, 16],
  [24, 192, 0, 0],
  [24, 192, 0, 2],
  [24, 192, 88, 99],
  [16, 192, 168],
  [15, 198, 18],
  [24, 198, 51, 100],
  [24, 203, 0, 113],
  [4, 224],
  [4, 240],
  // Azure answers requests for metadata and keys at this public address.
  [32, 168, 63, 129, 16],
];

/** Global unicast addresses of IPv6. All other blocks are special, now or in the future. */
const GLOBAL_IPV6: Block = [3, 0x20];

const REFUSED_IPV6: readonly Block[] = [
  [23, 0x20, 0x01, 0x00],
  [32, 0x20, 0x01, 0x0d, 0xb8],
  [20, 0x3f, 0xff, 0x00],
];

/** IPv6 addresses that carry an IPv4 address: the block, and where the IPv4 address begins. */
const CARRIERS: readonly { readonly block: Block; readonly at: number }[] = [
  // Compatible, mapped and translated addresses, and NAT64.
  { block: [96, ...zeros(12)], at: 12 },
  { block: [96, ...zeros(10), 255, 255], at: 12 },
  { block: [96, ...zeros(8), 255, 255, 0, 0], at: 12 },
  { block: [96, 0x00, 0x64, 0xff, 0x9b, ...zeros(8)], at: 12 },
  // 6to4.
  { block: [16, 0x20, 0x02], at: 2 },
];

/** Teredo addresses carry the address of a server, and that of a client with its bits inverted. */
const TEREDO: Block = [32, 0x20, 0x01, 0, 0];

function zeros(count: number): number[] {
  return new Array<number>(count).fill(0);
}

/**
 * Returns whether an IP address belongs to the public internet. Addresses that carry another one, such as
 * `::ffff:10.0.0.1`, are public if the carried address is. Text that is not an IP address is not public.
 */
export function isPublicAddress(text: string): boolean {
  const bytes = parseAddress(text);
  return bytes !== undefined && isPublic(bytes);
}

function isPublic(bytes: AddressBytes): boolean {
  if (bytes.length === 4) return !REFUSED_IPV4.some((block) => isIn(bytes, block));
  if (isIn(bytes, TEREDO)) return teredoParts(bytes).every(isPublic);
  const isatap = isatapPart(bytes);
  if (isatap !== undefined && !isPublic(isatap)) return false;
  const carrier = CARRIERS.find(({ block }) => isIn(bytes, block));
  if (carrier !== undefined) return isPublic(bytes.slice(carrier.at, carrier.at + 4));
  return isIn(bytes, GLOBAL_IPV6) && !REFUSED_IPV6.some((block) => isIn(bytes, block));
}

function teredoParts(bytes: AddressBytes): readonly AddressBytes[] {
  return [bytes.slice(4, 8), bytes.slice(12).map((byte) => byte ^ 255)];
}

/** Returns the IPv4 address in an ISATAP interface identifier (RFC 5214 §6.1), which any prefix may have. */
function isatapPart(bytes: AddressBytes): AddressBytes | undefined {
  const [flags, zero, high, low] = bytes.slice(8, 12);
  const isIsatap = (flags === 0 || flags === 2) && zero === 0 && high === 0x5e && low === 0xfe;
  return isIsatap ? bytes.slice(12) : undefined;
}

function isIn(bytes: AddressBytes, [bits, ...block]: Block): boolean {
  for (let index = 0; index * 8 < bits; index += 1) {
    const mask = bits - index * 8 >= 8 ? 255 : 256 - 2 ** (8 - (bits - index * 8));
    if (((bytes[index] ?? 0) & mask) !== ((block[index] ?? 0) & mask)) return false;
  }
  return true;
}

/** Bytes of an IP address: 4 or 16. */
type AddressBytes = readonly number[];

/** Returns the bytes of an IPv4 or IPv6 address, or undefined if the text is not one. Accepts a zone, and ignores it. */
export function parseAddress(text: string): AddressBytes | undefined {
  return text.includes(":") ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): AddressBytes | undefined {
  const parts = text.split(".");
  // Other notations, such as octal, mean different addresses to different readers. URL parsers have normalized them.
  const isPlain = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part));
  const bytes = parts.map(Number);
  return isPlain && bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function parseIPv6(text: string): AddressBytes | undefined {
  const [address = "", ...zone] = text.split("%");
  const halves = zone.length > 1 ? [] : address.split("::").map(groupsOf);
  const [head, tail] = halves;
  if (head === undefined || halves.length > 2) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 14) return undefined;
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

/** Returns the bytes of groups between colons, of which the last may be an IPv4 address. */
function groupsOf(text: string): number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1;
    const inner = isLast && group.includes(".") ? parseIPv4(group) : undefined;
    if (inner === undefined && !/^[\da-f]{1,4}$/i.test(group)) return undefined;
    const value = Number.parseInt(group, 16);
    bytes.push(...(inner ?? [value >> 8, value & 255]));
  }
  return bytes;
}

/** Bytes of an IP address: 4 or 16. */
export type AddressBytes = readonly number[];

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

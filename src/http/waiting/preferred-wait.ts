import { splitList } from "../message/split-list.js";

/**
 * Returns the seconds of the preference `wait` (RFC 7240 §4.3), or undefined if the client sent none. A preference that
 * is malformed or unknown is ignored, and of a repeated one only the first counts (§2).
 */
export function preferredWait(prefer: string | undefined): number | undefined {
  if (prefer === undefined || prefer.length > MAX_LENGTH) return undefined;
  const wait = splitList(prefer).find((preference) => /^\s*wait(?![!#$%&'*+.^`|~\w-])/i.test(preference));
  const [, quoted, plain] = wait?.match(/^\s*wait\s*=\s*(?:"(\d+)"|(\d+))\s*(?:;.*)?$/i) ?? [];
  const seconds = quoted ?? plain;
  return seconds === undefined ? undefined : Number(seconds);
}

/** Longer fields are ignored. */
const MAX_LENGTH = 1024;

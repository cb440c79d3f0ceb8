import { AsyncReplyError } from "../../contract/errors.js";
import type { Format } from "../../formats/format.js";
import { splitList } from "../message/headers.js";
import { type MediaType, parseMediaType } from "./media-type.js";

/**
 * Returns the format of a reply. Only offers canonical media types; aliases are only for reading.
 *
 * Throws `NOT_ACCEPTABLE`, listing what is available (RFC 9110 §15.5.7). Throws `INVALID_HEADER` if `accept` is too
 * long.
 *
 * @param others Media types that the resource has besides these formats. Default: none.
 */
export function replyFormat(
  accept: string | undefined,
  formats: readonly Format[],
  others: readonly string[] = [],
): Format {
  const available = formats.map(({ mediaTypes }) => mediaTypes[0]);
  const chosen = negotiate(accept, available);
  const format = formats.find(({ mediaTypes }) => mediaTypes[0] === chosen);
  if (format !== undefined) return format;
  const detail = `The header field Accept matches no available media type. Available: ${[...available, ...others].join(", ")}.`;
  throw new AsyncReplyError("NOT_ACCEPTABLE", detail);
}

/** Media type of event streams. */
export const EVENT_STREAM = "text/event-stream";

/**
 * Returns whether the client wants an event stream rather than a reply in one of the formats. It must name the media
 * type: a wildcard never gets a stream. If a format has the same quality, the format wins.
 *
 * Throws `INVALID_HEADER` if `accept` is too long.
 */
export function prefersEvents(accept: string | undefined, formats: readonly Format[]): boolean {
  if (accept === undefined || !NAMES_EVENTS.test(accept)) return false;
  const available = formats.map(({ mediaTypes }) => mediaTypes[0]);
  return negotiate(accept, [...available, EVENT_STREAM]) === EVENT_STREAM;
}

const NAMES_EVENTS = /(?:^|,)[ \t]*text\/event-stream[ \t]*(?:$|[,;])/i;

/**
 * Chooses the format of a problem. `Accept` can name the media type of a format or its problem type. If nothing
 * matches, returns the first format, because problems may ignore `Accept` (RFC 9457 §3). Never throws.
 */
export function problemFormat(accept: string | undefined, formats: readonly Format[]): Format {
  const [first] = formats as readonly [Format];
  if (accept === undefined || formats.length === 1 || accept.length > MAX_LENGTH) return first;
  const types = formats.flatMap(({ mediaTypes, problemMediaType }) => [mediaTypes[0], problemMediaType]);
  const chosen = negotiate(accept, types);
  return (
    formats.find((format) => [format.mediaTypes[0], format.problemMediaType].includes(chosen ?? "")) ?? first
  );
}

/**
 * Chooses the best available media type by quality, then by the server's order (RFC 9110 §12.5.1). The most specific
 * matching range decides about a type. If several ranges are equally specific, the highest quality counts. `q=0`
 * excludes a type. An absent or empty header allows every type. Returns undefined if nothing is acceptable.
 *
 * Tolerates common mistakes of clients:
 *
 * - Malformed elements are ignored.
 * - A lone `*` allows every type, and `q=.2` means `q=0.2`. `HttpURLConnection` of Java sends both.
 * - A quality can have more than three decimals.
 * - `charset=utf-8` does not narrow a range, because all replies are UTF-8. Any other parameter does.
 *
 * Throws `INVALID_HEADER` for more than 8192 characters.
 */
export function negotiate(accept: string | undefined, available: readonly string[]): string | undefined {
  if (accept === undefined || accept === "*/*") return available[0];
  if (available.includes(accept)) return accept;
  if (accept.length > MAX_LENGTH) {
    const detail = `The header field Accept is longer than ${MAX_LENGTH} characters.`;
    throw new AsyncReplyError("INVALID_HEADER", detail);
  }
  const elements = splitList(accept);
  if (elements.length === 0) return available[0];
  const ranges = elements.map(parseRange).filter((range) => range !== undefined);
  let best: string | undefined;
  let bestQuality = 0;
  for (const name of available) {
    const quality = qualityOf(name, ranges);
    if (quality > bestQuality) [best, bestQuality] = [name, quality];
  }
  return best;
}

const MAX_LENGTH = 8192;

interface MediaRange {
  readonly type: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly quality: number;
  readonly specificity: number;
}

function parseRange(element: string): MediaRange | undefined {
  const range = parseMediaType(element) ?? parseMediaType(element.replace(/^[ \t]*\*/, "*/*"));
  if (range === undefined) return undefined;
  const weight = range.parameters.get("q");
  const quality = weight === undefined ? 1 : parseQuality(weight);
  if (quality === undefined) return undefined;
  // `q` is the weight in any position (RFC 9110 §12.5.1).
  const parameters = [...range.parameters].filter(([name]) => name !== "q");
  return { type: range.type, parameters, quality, specificity: specificityOf(range.type, parameters.length) };
}

function parseQuality(value: string): number | undefined {
  if (!/^(?:[01](?:\.\d*)?|\.\d+)$/.test(value)) return undefined;
  const quality = Number(value);
  return quality <= 1 ? quality : undefined;
}

function specificityOf(type: string, parameters: number): number {
  if (type === "*/*") return 0;
  return type.endsWith("/*") ? 1 : 2 + parameters;
}

function qualityOf(name: string, ranges: readonly MediaRange[]): number {
  const mediaType = parseMediaType(name);
  if (mediaType === undefined) return 0;
  const [best] = ranges
    .filter((range) => isInRange(mediaType, range))
    .sort((a, b) => b.specificity - a.specificity || b.quality - a.quality);
  return best?.quality ?? 0;
}

function isInRange({ type, parameters }: MediaType, range: MediaRange): boolean {
  const isNamed = range.type === type || range.type === "*/*";
  if (!isNamed && !(range.type.endsWith("/*") && type.startsWith(range.type.slice(0, -1)))) return false;
  return range.parameters.every(
    ([name, value]) =>
      parameters.get(name) === value || (name === "charset" && value.toLowerCase() === "utf-8"),
  );
}

import { checkOptions, invalidOption, type OptionNames } from "./options.js";

/** When and why clients should leave an operation. */
export interface Deprecation {
  /** Since when it is deprecated; may lie ahead (RFC 9745). */
  readonly since: Date;
  /** From when on it may be gone (RFC 8594). Not before `since`. */
  readonly sunset?: Date;
  /** The absolute address of a page for people (RFC 9745 §3). */
  readonly link?: string;
}

const OPTIONS: OptionNames<Deprecation> = { since: true, sunset: true, link: true };

/**
 * Checks the option and keeps a copy: a `Date` can be changed later.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function readDeprecation(deprecated: Deprecation): Deprecation {
  checkOptions(deprecated, OPTIONS, "defineOperation", "deprecated");
  const { since, sunset, link } = deprecated;
  const begin = checkDate("deprecated.since", since);
  const end = sunset === undefined ? undefined : checkDate("deprecated.sunset", sunset);
  if (end !== undefined && end < begin)
    throw invalidOption("deprecated.sunset", "a Date that is not before `since`", end.toISOString());
  if (link !== undefined && !(typeof link === "string" && URL.canParse(link)))
    throw invalidOption("deprecated.link", "an absolute URL such as `https://example.com/changes`", link);
  return Object.freeze({
    since: begin,
    ...(end === undefined ? {} : { sunset: end }),
    ...(link === undefined ? {} : { link: new URL(link).href }),
  });
}

function checkDate(option: string, date: unknown): Date {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return new Date(date);
  throw invalidOption(option, "a valid Date", date instanceof Date ? "Invalid Date" : date);
}

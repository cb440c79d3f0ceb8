import { checkDate, checkOptions, invalidOption, type OptionNames } from "../options.js";

/** When and why clients should stop using an operation. */
export interface Deprecation {
  /** Date of the deprecation. May be in the future (RFC 9745). */
  readonly since: Date;
  /** Date after which the operation may be gone (RFC 8594). Must not be before `since`. Default: none. */
  readonly sunset?: Date;
  /** Absolute URL of a page for people (RFC 9745 §3). Default: none. */
  readonly link?: string;
}

const OPTIONS: OptionNames<Deprecation> = { since: true, sunset: true, link: true };

/**
 * Checks the option and returns a copy, because a `Date` is mutable.
 *
 * Throws `INVALID_OPTION`, naming the option.
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

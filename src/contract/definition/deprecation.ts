import { checkDate, optional } from "../option-values.js";
import { invalidOption, type OptionTable, readOptions } from "../options.js";

/** When and why clients should stop using an operation. */
export interface Deprecation {
  /** Date of the deprecation. May be in the future (RFC 9745). */
  readonly since: Date;
  /** Date after which the operation may be gone (RFC 8594). Must not be before `since`. Default: none. */
  readonly sunset?: Date;
  /** Absolute URL of a page for people (RFC 9745 §3). Default: none. */
  readonly link?: string;
}

const OPTIONS: OptionTable<Deprecation> = {
  since: (value, name) => checkDate(name, value),
  sunset: optional((value, name) => checkDate(name, value)),
  link: optional((value, name) => {
    if (typeof value === "string" && URL.canParse(value)) return new URL(value).href;
    throw invalidOption(name, "an absolute URL such as `https://example.com/changes`", value);
  }),
};

/**
 * Checks the option and returns a copy, because a `Date` is mutable.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readDeprecation(deprecated: Deprecation): Deprecation {
  const read = readOptions<Deprecation>(deprecated, OPTIONS, "defineOperation", "deprecated");
  const { since, sunset, link } = read;
  if (sunset !== undefined && sunset < since)
    throw invalidOption("deprecated.sunset", "a Date that is not before `since`", sunset.toISOString());
  return Object.freeze({
    since,
    ...(sunset === undefined ? {} : { sunset }),
    ...(link === undefined ? {} : { link }),
  });
}

import { longDuration, optional } from "../option-values.js";
import type { OptionReader } from "../options.js";

/** Workers look for work that has expired about every second, so a shorter time would often be over before they look. */
const MIN_START_WITHIN_MS = 1_000;

/** Reads the option `startWithinMs`. Milliseconds. Throws `INVALID_OPTION`. */
export const readStartWithin: OptionReader<number | undefined> = /* @__PURE__ */ optional(
  /* @__PURE__ */ longDuration(MIN_START_WITHIN_MS, MIN_START_WITHIN_MS),
);

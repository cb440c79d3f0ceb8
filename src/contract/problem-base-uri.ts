import { invalidOption } from "./options.js";
import { PROBLEM_BASE_URI } from "./problem.js";

/**
 * Checks the option `problemBaseUri` and fills in its default.
 *
 * Throws `INVALID_OPTION`.
 */
export function readProblemBaseUri(value: unknown = PROBLEM_BASE_URI): string {
  if (isBaseUri(value)) return value;
  throw invalidOption(
    "problemBaseUri",
    "an absolute URI that ends with `/`, `#`, `:` or `=`, such as `https://example.com/problems/`",
    value,
  );
}

/** Clients find the name of a problem after the last of these characters. */
function isBaseUri(value: unknown): value is string {
  return (
    typeof value === "string" &&
    /^[a-z][a-z0-9+.-]*:[!#$%&'()*+,./0-9:;=?@A-Z_a-z~-]*[/#:=]$/i.test(value) &&
    URL.canParse(value)
  );
}

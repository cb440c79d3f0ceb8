import * as fc from "fast-check";

/**
 * Prefers the usual value over the odd one, 12 to 1. Otherwise nearly every generated request would be refused early
 * and only refusals would be compared.
 */
export function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

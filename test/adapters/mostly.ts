import * as fc from "fast-check";

/** Most requests should come as far as the body, or nothing but refusals would be compared. */
export function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

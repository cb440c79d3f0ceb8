import type { Mistake } from "../support/untyped.js";

/** A mistake in words, options of which the first one is wrong, and the end of the error, after the name of that option. */
type WrongOption = readonly [mistake: string, options: object, says: string];

/** Returns mistakes in single options. `within` stands before their names in the errors. */
export function inOption(
  make: (options: object) => unknown,
  wrong: readonly WrongOption[],
  within = "",
): Mistake[] {
  return wrong.map(([mistake, options, says]) => [
    mistake,
    `Option \`${within}${Object.keys(options)[0]}\` ${says}`,
    () => make(options),
  ]);
}

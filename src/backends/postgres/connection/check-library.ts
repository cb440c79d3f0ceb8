import { kindOf, misuse } from "../../../contract/options.js";

/**
 * Checks the argument of a function that adapts a library, such as `fromDrizzle`.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param expected what to pass, for the message
 * @param members functions that the argument must have
 */
export function checkLibrary(
  name: string,
  value: unknown,
  expected: string,
  ...members: readonly string[]
): void {
  const given = Object(value) as Readonly<Record<string, unknown>>;
  if (members.every((member) => typeof given[member] === "function")) return;
  // The value is not quoted, because a connection string can contain a password.
  throw misuse(`The argument of \`${name}\` must be ${expected}, not ${kindOf(value)}.`);
}

import { DEFAULT_URGENCY } from "../operation.js";
import { invalidOption, misuse, type OptionReader, type OptionTable, readOptions } from "../options.js";

/** Urgencies from which clients may choose with the header field `Priority` (RFC 9218). Whole numbers from 0 to 7. */
export interface UrgencyRange {
  /** The most urgent one. 0 begins first. */
  readonly from: number;
  /** The least urgent one. 7 begins last. Must not be less than `from`. */
  readonly to: number;
}

/** The least urgent urgency (RFC 9218 §4.1). */
const MAX_URGENCY = 7;

/** Returns whether a value is an urgency: a whole number from 0 to 7. */
export function isUrgency(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_URGENCY;
}

/**
 * Checks an urgency that code chooses.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkUrgency(name: string, urgency: unknown): number {
  if (isUrgency(urgency)) return urgency;
  throw invalidOption(name, "a whole number from 0, which begins first, to 7", urgency);
}

/** Members of a definition about its urgency. */
export interface DefinedUrgency {
  readonly urgency: number;
  readonly clientUrgency?: UrgencyRange;
}

const readChoice: OptionReader<number> = (value, name) => checkUrgency(name, value);
const RANGE: OptionTable<UrgencyRange> = { from: readChoice, to: readChoice };

/**
 * Checks the urgency of a definition, and the range from which its clients may choose. A client that chooses nothing must
 * not be better or worse off than all others, so the range contains the urgency.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readUrgency(
  given: number = DEFAULT_URGENCY,
  range: UrgencyRange | undefined = undefined,
): DefinedUrgency {
  const urgency = checkUrgency("urgency", given);
  if (range === undefined) return { urgency };
  const { from, to } = readOptions(range, RANGE, "defineOperation", "clientUrgency");
  if (to < from) throw invalidOption("clientUrgency.to", `at least \`clientUrgency.from\`, ${from}`, to);
  if (urgency < from || urgency > to)
    throw misuse(
      `Option \`clientUrgency\` is ${from} to ${to}, which does not contain the \`urgency\` of requests that choose none, ` +
        `${urgency}. Widen it, or change \`urgency\`.`,
    );
  return { urgency, clientUrgency: Object.freeze({ from, to }) };
}

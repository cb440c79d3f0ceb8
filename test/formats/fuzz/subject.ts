import type { Format } from "async-request-reply";
import type { Choices } from "../../../src/testing/simulator/choices.js";

/** A fuzzed format, with knowledge about it that random bytes would not find. */
export interface FuzzSubject {
  readonly name: string;
  readonly format: Format;
  /** Writes a value as a valid body, in one of the format's notations. */
  write(value: unknown, choices: Choices): string;
  /** Pieces of text with a meaning in the format. */
  readonly tokens: readonly string[];
  /** Text that opens and closes something that can be nested. */
  readonly brackets: readonly (readonly [open: string, close: string])[];
  /** Whether it reads back every value that it writes. */
  readonly readsBack: boolean;
}

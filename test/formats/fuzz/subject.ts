import type { Format } from "async-request-reply";
import type { Choices } from "../../../src/testing/simulator/choices.js";

/** A format under fuzzing, and what is known of it that random bytes would not find. */
export interface FuzzSubject {
  /** What a test calls it. */
  readonly name: string;
  readonly format: Format;
  /** Writes a value as a body that the format takes, in any of the ways that it has. */
  write(value: unknown, choices: Choices): string;
  /** Pieces of text that mean something in the format. */
  readonly tokens: readonly string[];
  /** What opens and closes something that can be nested. */
  readonly brackets: readonly (readonly [open: string, close: string])[];
  /** Whether it reads what it writes as the same value, whatever that is. */
  readonly readsBack: boolean;
}

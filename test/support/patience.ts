/**
 * Time that a condition has to hold, unless a test says otherwise. It is no measure: a machine whose disk stalls
 * needs all of it. Milliseconds.
 */
export const WAIT_MS = 60_000;

/** Time that ends a hanging test or hook. It is longer than a wait, whose error says what is missing. Milliseconds. */
export const HANGING_MS = 240_000;

import { defineOperation } from "async-request-reply";

/** Takes any value that JSON can represent. */
const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };

/** Names of the definitions. Work of `resuming` continues from its checkpoints, and work of `restarting` has none. */
export const names = ["resuming", "restarting"];

/**
 * Returns the definitions.
 *
 * @param outputs Whether their work has output. Builds without it know no such definitions.
 */
export function toDefinitions({ outputs = true, retentionMs } = {}) {
  return names.map((name) =>
    defineOperation({
      name,
      path: `/${name}`,
      input: anything,
      ...(retentionMs && { retentionMs }),
      ...(outputs && { chunk: anything }),
      ...(outputs && name === "resuming" && { checkpoint: anything }),
    }),
  );
}

const TEXTS = ["a", "\r", "\r\n\n", "data: b\n\n", "\u2028é😀", '\u0000\\"]'];

/** Returns a chunk. It says who wrote it, and has text that a careless reader would change. */
export function toChunk(attempt, number) {
  return { attempt, number, text: TEXTS[number % TEXTS.length] };
}

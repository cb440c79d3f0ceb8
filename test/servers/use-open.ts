import { afterAll, beforeAll } from "vitest";

/** Opens something before the tests of a `describe` block, and closes it after them. The last one that was opened is closed first. */
export function useOpen<T>(open: () => T | Promise<T>, close: (opened: T) => unknown): () => T {
  let opened: { readonly value: T } | undefined;
  beforeAll(async () => {
    opened = { value: await open() };
  });
  afterAll(async () => {
    if (opened !== undefined) await close(opened.value);
  });
  return () => {
    if (opened === undefined) throw new Error("This is only open while tests run.");
    return opened.value;
  };
}

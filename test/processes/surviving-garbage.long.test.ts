import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../support/built.js";

interface Measured {
  /** Bytes of garbage that survived young collections, per request or attempt. */
  readonly bytes: number;
  /** Number of young collections. */
  readonly young: number;
}

function measure(load: string): Measured {
  const child = join(import.meta.dirname, "surviving-garbage-child.mjs");
  return JSON.parse(run(process.execPath, [child, load], import.meta.dirname)) as Measured;
}

/**
 * An object that keeps others alive until the next full collection costs more than its size: each young collection
 * copies everything that it holds. The limits lie between the bytes with and without one such object per call: 200 and
 * 2,000 for the Node adapter, 2,400 and 5,100 for the Fetch adapter (1,900 of them in a `Request` and its body), 600
 * and 2,700 for an attempt.
 */
describe("garbage that survives young collections", () => {
  it.each([
    ["a request through the Node adapter", "node", 600],
    ["a request through the Fetch adapter", "fetch", 3_500],
    ["an attempt", "attempts", 1_300],
  ])("stays small for %s", (_, load, limit) => {
    const { bytes, young } = measure(load);
    expect(young).toBeGreaterThan(10);
    expect(bytes).toBeLessThan(limit);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allFormats } from "../support/all-formats.js";
import { modes } from "../support/composed-backend.js";
import { effort } from "../support/effort.js";
import { type Attempt, createRetryStage, writeValue } from "../support/retry-stage.js";
import { type Deployed, deployed, marked } from "./generated-retries.js";

const schema = fc.constantFrom("narrow", "wide");
const request = fc.record({
  type: fc.constantFrom(...Object.keys(allFormats)),
  written: schema,
  read: schema,
});

type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** A request written with one of the two schemas, to a service that has either of them. */
function attempt(deploy: Deployed, { type, written, read }: Request): Attempt {
  return { type, schema: deploy[read], body: writeValue(type, deploy[written], deploy.value) };
}

describe.each(modes)("a payload in any format, before or after a deploy, with $mode", (each) => {
  const runs = { seed: 41, numRuns: effort(80, 400) };

  it("is a replay in any other format, with any schema of client and service", async () => {
    const retries = fc.array(request, { maxLength: 3 });
    const property = fc.asyncProperty(deployed, request, retries, async (deploy, first, later) => {
      const send = createRetryStage(each.createBackend());
      expect(await send(attempt(deploy, first))).toBe("accepted");
      for (const retry of later) expect(await send(attempt(deploy, retry))).toBe("replayed");
    });
    await fc.assert(property, runs);
  });

  it("differs from another payload in any other format", async () => {
    const property = fc.asyncProperty(deployed, request, request, async (deploy, first, second) => {
      const send = createRetryStage(each.createBackend());
      expect(await send(attempt(marked(deploy, "a"), first))).toBe("accepted");
      expect(await send(attempt(marked(deploy, "b"), second))).toBe("idempotency-key-reused");
    });
    await fc.assert(property, runs);
  });
});

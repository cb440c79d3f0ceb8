import { describe, expect, it } from "vitest";
import { adapterCases } from "../support/adapter-suite/cases.js";
import type { AdapterCapabilities, AdapterCase } from "../support/adapter-suite/fixtures/adapter-case.js";
import { streamCases } from "../support/adapter-suite/mounting/streams.js";
import { firstAdapter, otherAdapters } from "./identity-adapters.js";
import { transcribe } from "./identity-transcript.js";

/**
 * Cases whose replies depend on which of several concurrent requests arrives first, or on which states a stream skips.
 */
const races = [
  "records one operation for any number of concurrent requests with one key",
  "creates one order for concurrent duplicates and answers each with its 201 or a 409",
  "streams the states of an operation until it ends, with the tags of polls as ids",
];

/** Cases with repeated lines. `Request` joins them to one value, which is refused for a different reason. */
const joined = ["answers 400 to a repeated Idempotency-Key, even if both lines agree"];

/** Cases that replace `handle` of the service, and with it its predictable parts. */
const replacing = streamCases.map(({ name }) => name);

/** Returns why a case cannot be compared on an adapter with these capabilities, or `undefined` if it can. */
function obstacleTo(
  { name, needs = [] }: AdapterCase,
  capabilities: AdapterCapabilities,
): string | undefined {
  const missing = needs.filter((need) => !capabilities[need]);
  if (missing.length > 0) return `needs ${missing.join(", ")}`;
  if (replacing.includes(name) || needs.includes("fallthrough")) return "replaces predictable parts";
  if (races.includes(name)) return "is a race";
  return joined.includes(name) && !capabilities.fieldLines ? "needs fieldLines" : undefined;
}

describe.each(otherAdapters)("the cases of the adapter suite behind $adapter", ({ createHarness }) => {
  for (const each of adapterCases) {
    const obstacle = obstacleTo(each, createHarness().capabilities);
    const because = obstacle === undefined ? "" : ` (${obstacle})`;
    it.skipIf(obstacle)(
      `produce the same bytes as behind ${firstAdapter.adapter}: ${each.name}${because}`,
      async () => {
        const expected = await transcribe(firstAdapter.createHarness(), each.run);
        expect(await transcribe(createHarness(), each.run)).toEqual(expected);
      },
    );
  }
});

it("excludes only cases that exist", () => {
  const names = adapterCases.map(({ name }) => name);
  expect([...races, ...joined].filter((name) => !names.includes(name))).toEqual([]);
});

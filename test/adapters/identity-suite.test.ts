import { describe, expect, it } from "vitest";
import type { AdapterCapabilities, AdapterCase } from "../../src/testing/suites/adapter/adapter-case.js";
import { adapterCases } from "../../src/testing/suites/adapter-suite.js";
import { firstAdapter, otherAdapters } from "./identity-adapters.js";
import { transcribe } from "./identity-transcript.js";

/** Cases in which the network decides whose request comes first, and with it who gets which reply. */
const races = [
  "records one operation for any number of concurrent requests with one key",
  "creates one order for concurrent duplicates and answers each with its 201 or a 409",
];

/** Cases whose lines `Request` joins to a value that is refused for another reason than that there are two. */
const joined = ["answers 400 to a repeated Idempotency-Key, even if both lines agree"];

/** Why a case cannot be compared behind an adapter that can do this much. */
function obstacleTo(
  { name, needs = [] }: AdapterCase,
  capabilities: AdapterCapabilities,
): string | undefined {
  const missing = needs.filter((need) => !capabilities[need]);
  if (missing.length > 0) return `needs ${missing.join(", ")}`;
  if (needs.includes("streams") || needs.includes("fallthrough")) return "replaces what must be predictable";
  if (races.includes(name)) return "is a race";
  return joined.includes(name) && !capabilities.fieldLines ? "needs fieldLines to be told so" : undefined;
}

describe.each(otherAdapters)("the cases of the adapter suite behind $adapter", ({ createHarness }) => {
  for (const each of adapterCases) {
    const obstacle = obstacleTo(each, createHarness().capabilities);
    const because = obstacle === undefined ? "" : ` (${obstacle})`;
    it.skipIf(obstacle)(
      `are, byte for byte, as behind ${firstAdapter.adapter}: ${each.name}${because}`,
      async () => {
        const expected = await transcribe(firstAdapter.createHarness(), each.run);
        expect(await transcribe(createHarness(), each.run)).toEqual(expected);
      },
    );
  }
});

it("leaves out no case that there is not", () => {
  const names = adapterCases.map(({ name }) => name);
  expect([...races, ...joined].filter((name) => !names.includes(name))).toEqual([]);
});

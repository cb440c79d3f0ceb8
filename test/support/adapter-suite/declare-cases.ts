import { expect, it } from "vitest";
import { adapterCases } from "./cases.js";
import type { AdapterCase, AdapterHarness } from "./fixtures/adapter-case.js";

/** Declares a test for each case of the adapter suite. Cases that need a missing capability are skipped by name. */
export function declareAdapterCases(
  harness: AdapterHarness,
  cases: readonly AdapterCase[] = adapterCases,
): void {
  for (const { name, rule, needs = [], run } of cases) {
    const missing = needs.filter((capability) => !harness.capabilities[capability]);
    const because = missing.length === 0 ? "" : `, needs ${missing.join(", ")}`;
    it.skipIf(missing.length > 0)(`${name} (${rule}${because})`, () =>
      expect(run(harness)).resolves.toBeUndefined(),
    );
  }
}

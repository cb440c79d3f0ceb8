import { type PortCase, type PortHarness, runnableCases } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";

/**
 * Declares the cases of a suite as tests of one back end. A case that the back end cannot run is skipped by name,
 * with the reason.
 */
export function runSuite<Harness extends PortHarness<unknown>>(
  name: string,
  cases: readonly PortCase<Harness>[],
  harness: Harness,
): void {
  describe(name, () => {
    for (const { case: each, skipped } of runnableCases(cases, harness)) {
      const title = skipped === undefined ? each.name : `${each.name} (${skipped})`;
      it.skipIf(skipped !== undefined)(title, () => expect(each.run(harness)).resolves.toBeUndefined());
    }
  });
}

import { adapterCases } from "../../support/adapter-suite/cases.js";
import type { AdapterHarness } from "../../support/adapter-suite/fixtures/adapter-case.js";
import { type CaseResult, runCase } from "./run-case.js";

/** Runs the cases of the adapter suite on the installed package, in order. */
export async function runSuite(harness: AdapterHarness, report: (result: CaseResult) => void): Promise<void> {
  for (const { name, needs = [], run } of adapterCases) {
    const missing = needs.filter((capability) => !harness.capabilities[capability]);
    if (missing.length > 0) report({ name, outcome: "skipped", because: `needs ${missing.join(", ")}` });
    else report(await runCase(name, () => run(harness)));
  }
}

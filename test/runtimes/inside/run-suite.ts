import { adapterCases } from "../../support/adapter-suite/cases.js";
import type { AdapterCase, AdapterHarness } from "../../support/adapter-suite/fixtures/adapter-case.js";
import { type CaseResult, runCase } from "./run-case.js";

/** Runs the cases of the adapter suite on the installed package, in order. */
export async function runSuite(harness: AdapterHarness, report: (result: CaseResult) => void): Promise<void> {
  for (const each of adapterCases) report(await runUnlessMissing(each, harness));
}

async function runUnlessMissing(
  { name, needs = [], run }: AdapterCase,
  harness: AdapterHarness,
): Promise<CaseResult> {
  const missing = needs.filter((capability) => !harness.capabilities[capability]);
  if (missing.length > 0) return { name, outcome: "skipped", because: `needs ${missing.join(", ")}` };
  return runCase(name, () => run(harness));
}

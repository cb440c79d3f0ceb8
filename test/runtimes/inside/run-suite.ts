import { type AdapterCase, type AdapterHarness, adapterCases } from "async-request-reply/testing";

/** The result of one case of the adapter suite. */
export interface CaseResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** Why it failed, or the capabilities that the transport lacks. */
  readonly because?: string;
}

/** Limit for one case, so that a hanging case is reported by name instead of ending the whole run. */
const CASE_TIMEOUT_MS = 15_000;

/** Runs the cases of the installed package's adapter suite in order. */
export async function runSuite(harness: AdapterHarness, report: (result: CaseResult) => void): Promise<void> {
  for (const each of adapterCases) report(await runCase(each, harness));
}

async function runCase({ name, needs = [], run }: AdapterCase, harness: AdapterHarness): Promise<CaseResult> {
  const missing = needs.filter((capability) => !harness.capabilities[capability]);
  if (missing.length > 0) return { name, outcome: "skipped", because: `needs ${missing.join(", ")}` };
  try {
    await inTime(run(harness));
    return { name, outcome: "passed" };
  } catch (error) {
    return { name, outcome: "failed", because: String((error as Error).stack ?? error) };
  }
}

async function inTime(running: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeIsUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${CASE_TIMEOUT_MS} ms`)), CASE_TIMEOUT_MS);
  });
  await Promise.race([running, timeIsUp]).finally(() => clearTimeout(timer));
}

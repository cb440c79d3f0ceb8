/** The result of one case of a suite. */
export interface CaseResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** Why it failed, or the missing capabilities. */
  readonly because?: string;
}

/** Limit for one case, so that a hanging case is reported by name instead of ending the whole run. */
const CASE_TIMEOUT_MS = 60_000;

/** Runs one case. Never rejects. */
export async function runCase(name: string, run: () => Promise<unknown>): Promise<CaseResult> {
  try {
    await inTime(run());
    return { name, outcome: "passed" };
  } catch (error) {
    return { name, outcome: "failed", because: String((error as Error).stack ?? error) };
  }
}

async function inTime(running: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeIsUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${CASE_TIMEOUT_MS} ms`)), CASE_TIMEOUT_MS);
  });
  await Promise.race([running, timeIsUp]).finally(() => clearTimeout(timer));
}

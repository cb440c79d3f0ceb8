import type { Problem } from "../contract/problem.js";

/** Returns why an operation failed. If all attempts failed, the error of the last one says more. */
export function messageOf({
  error,
  lastError,
}: {
  readonly error?: Pick<Problem, "name" | "detail"> | undefined;
  readonly lastError?: Pick<Problem, "detail"> | undefined;
}): string | undefined {
  const isExhausted = error?.name === "attempts-exhausted";
  return (isExhausted ? lastError?.detail : undefined) ?? error?.detail;
}

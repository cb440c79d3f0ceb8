import type { Backend } from "async-request-reply";
import type { AppendResult } from "../../src/ports/output-store.js";
import { RETRIED } from "../../src/testing/suites/operation-store/fixtures.js";
import { toAppend } from "../../src/testing/suites/output-store/fixtures.js";
import { claimOne } from "./claims.js";

const leaseMs = 3_600_000;

/** A worker that writes to the output of one operation. */
export interface OutputWriter {
  readonly operationId: string;
  /** Writes chunks, one per character, and sets a checkpoint after them if it is given. */
  write(chunks: string, checkpoint?: string): Promise<AppendResult | undefined>;
  /** Reports progress. */
  report(): Promise<unknown>;
  /** Gives the work back and begins its next attempt, of whose output this many chunks stand. Default: 0. */
  again(standing?: number): Promise<void>;
  complete(): Promise<unknown>;
  /** Fails the operation, with a problem as JSON. */
  fail(error?: string): Promise<unknown>;
}

/** Begins an operation. */
export async function beginWriting(
  { operations, output }: Pick<Backend<never>, "operations" | "output">,
  operationId: string,
): Promise<OutputWriter> {
  let attempt = 0;
  let count = 0;
  const lease = () => ({ operationId, token: `token-of-attempt-${attempt}-of-${operationId}` });
  const begin = async (): Promise<void> => {
    attempt += 1;
    await claimOne(operations, operationId, { token: lease().token, leaseMs });
  };
  await begin();
  return {
    operationId,
    write: async (chunks, checkpoint) => {
      const append = toAppend(lease(), count, [...chunks], checkpoint);
      count += chunks.length;
      return (await output?.append([append]))?.[0];
    },
    report: () => operations.renew(lease(), { leaseMs, progress: "1" }),
    again: async (standing = 0) => {
      await operations.settle(lease(), RETRIED);
      count = standing;
      await begin();
    },
    complete: () => operations.settle(lease(), { to: "completed", result: "1" }),
    fail: (error = "{}") => operations.settle(lease(), { to: "failed", error }),
  };
}

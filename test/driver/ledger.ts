import { readFileSync } from "node:fs";

/** A line that a process of the driver, or the driver itself, has written. Times are milliseconds of the machine's clock. */
export type Line = { readonly at: number; readonly process: string } & (
  | { readonly what: "started"; readonly role: "worker" | "function" }
  | { readonly what: "stopping" | "quiet" }
  /** From now on, the processes are replaced until each has the build of this name. */
  | { readonly what: "step"; readonly builds: readonly string[] }
  /** The process was killed, or stopped by SIGSTOP, or goes on after it. */
  | { readonly what: "killed" | "frozen" | "thawed" }
  /** The process could not run since then. */
  | { readonly what: "lag"; readonly since: number }
  /** The store was gone or slow since then. */
  | { readonly what: "outage"; readonly since: number }
  | { readonly what: "sent"; readonly submission: string }
  | Recorded
  | { readonly what: "rolled back"; readonly operationId: string }
  | { readonly what: "cancelled"; readonly operationId: string; readonly outcome: string }
  | {
      readonly what: "redriven";
      readonly outcome: string;
      readonly operationId: string;
      readonly retryOf: string;
    }
  | { readonly what: "pausing" | "resumed"; readonly kind: string }
  /** The process has claimed. `full` says that the claim has filled all slots that were free when it was sent. */
  | { readonly what: "claimed"; readonly full: boolean }
  /** The function of the processor was called. `leasedAt` is when the claim was sent that took the lease. */
  | {
      readonly what: "begun";
      readonly operationId: string;
      readonly attempt: number;
      readonly leasedAt?: number;
    }
  /** The lease was extended by a renewal that was sent at `leasedAt`. */
  | { readonly what: "renewed"; readonly operationId: string; readonly leasedAt: number }
  /** The function of the processor has ended, or had to. */
  | { readonly what: "left"; readonly operationId: string; readonly attempt: number }
  | AttemptEvent
  | { readonly what: "error"; readonly error: string }
);

/** A submission that a process got an answer to. */
interface Recorded {
  readonly what: "recorded";
  readonly submission: string;
  readonly operationId: string;
  readonly replayed: boolean;
  readonly kind: string;
  readonly tenant: string;
  readonly lane?: string;
  readonly key?: string;
  readonly delayMs: number;
}

/** An event of the observer. */
export interface AttemptEvent {
  readonly what:
    | "operation.completed"
    | "operation.failed"
    | "operation.retried"
    | "operation.released"
    | "operation.expired"
    | "attempt.lost";
  readonly operationId: string;
  readonly attempt?: number;
  readonly delayMs?: number;
}

/** Returns the lines of all files in the order of their times. The last line of a killed process may be cut. */
export function readLedgers(paths: readonly string[]): readonly Line[] {
  const texts = paths.flatMap((path) => readFileSync(path, "utf8").split("\n"));
  const lines = texts.filter((text) => text.endsWith("}")).map((text) => JSON.parse(text) as Line);
  return lines.sort((one, other) => one.at - other.at);
}

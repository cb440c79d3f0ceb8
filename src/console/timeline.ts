import { present } from "../contract/options.js";
import type { OperationAttempt, OperationDetails } from "../operator/details.js";
import type { TimelineEntry } from "./wire.js";

/** Returns what is known to have happened to an operation, oldest first. */
export function timelineOf(operation: OperationDetails): readonly TimelineEntry[] {
  const { createdAt, retryOf, retriedBy, attempts } = operation;
  const unknown = (attempts[0]?.attempt ?? 1) - 1;
  return [
    { event: "accepted", at: createdAt, ...present({ other: retryOf }) },
    ...(unknown > 0 ? [{ event: "omitted", attempt: unknown } as const] : []),
    ...attempts.map(toEntry),
    ...endOf(operation),
    ...(retriedBy === undefined ? [] : [{ event: "redriven", other: retriedBy } as const]),
  ];
}

function toEntry({ outcome, endedAt, ...attempt }: OperationAttempt): TimelineEntry {
  return { event: `attempt-${outcome}`, ...attempt, ...present({ at: endedAt }) };
}

/** Returns what an operation has come to, unless its last attempt says so. */
function endOf({ status, attempts, finishedAt, error, dueAt }: OperationDetails): readonly TimelineEntry[] {
  if (status === "failed")
    return [{ event: "failed", detail: error?.detail ?? error?.title ?? "", ...present({ at: finishedAt }) }];
  const isWaiting = status === "pending" && attempts.at(-1)?.outcome !== "running";
  return isWaiting ? [{ event: "waiting", ...present({ until: dueAt }) }] : [];
}

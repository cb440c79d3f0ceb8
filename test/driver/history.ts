import type { Operation } from "async-request-reply/ports";
import type { AttemptEvent, Line } from "./ledger.js";
import type { Span } from "./spans.js";

/** Everything that happened in a scene, and the operations that the store holds at its end. */
export interface History {
  readonly lines: readonly Line[];
  readonly operations: ReadonlyMap<string, Operation>;
  /** When the last look at the store began. */
  readonly end: number;
  readonly leaseMs: number;
}

/** An attempt of which a process called the processor. */
export interface Attempt {
  readonly operationId: string;
  readonly process: string;
  /** When it certainly ran, with a lease: until it ended, its lease did, or its process or the store were disturbed. */
  readonly ran: Span;
  /** When it may have held its place: until the process learned that it was settled, or its lease ended. */
  readonly held: Span;
}

const settling: ReadonlySet<string> = new Set<AttemptEvent["what"]>([
  "operation.completed",
  "operation.failed",
  "operation.retried",
  "operation.released",
  "attempt.lost",
]);

/** Returns all attempts of a history. */
export function attemptsOf({ lines, end, leaseMs }: History): readonly Attempt[] {
  const outages = lines.filter((line) => line.what === "outage");
  return lines.flatMap((begun, index) => {
    if (begun.what !== "begun") return [];
    const { at: from, process, operationId, attempt, leasedAt = Number.POSITIVE_INFINITY } = begun;
    let leaseEndsAt = leasedAt + leaseMs;
    // During an outage, no lease is renewed.
    const outage = outages.find(({ at }) => at >= from);
    let left = outage && Math.max(from, outage.since);
    let settled: number | undefined;
    for (let next = index + 1; next < lines.length && settled === undefined; next += 1) {
      const line = lines[next] as Line;
      if (line.process !== process) continue;
      const isOwn = "operationId" in line && line.operationId === operationId;
      if (isOwn && line.what === "left" && line.attempt === attempt) left = earlier(left, line.at);
      else if (isOwn && settling.has(line.what)) settled = line.at;
      else if (isOwn && line.what === "renewed") leaseEndsAt = line.leasedAt + leaseMs;
      else if (line.what === "lag") left = earlier(left, Math.max(from, line.since));
      else if (line.what === "frozen") left = earlier(left, line.at);
      else if (line.what === "killed") {
        left = earlier(left, line.at);
        settled = line.at + leaseMs;
      }
    }
    const ran = { from, to: Math.max(from, Math.min(leaseEndsAt, earlier(left, settled ?? end))) };
    return [{ operationId, process, ran, held: { from, to: settled ?? end } }];
  });
}

function earlier(known: number | undefined, at: number): number {
  return known === undefined ? at : Math.min(known, at);
}

import type { WaitingReason } from "../../operator/explain.js";
import type { Details, Sent } from "../wire.js";
import { type Child, element } from "./dom.js";
import { ago, clockTime, counted, duration, exactly, ordinal } from "./format.js";
import { reasonOf } from "./reason.js";

/** A worker that is started begins due work sooner. */
const PATIENCE_MS = 10_000;

/** Says why an operation does not run, or why it failed. */
export function whyOf({ operation, why = [] }: Sent<Details>): HTMLElement | undefined {
  const { status, definition } = operation;
  if (status === "failed")
    return box("failed", "Why it failed", [element("p", { class: "reason" }, reasonOf(operation))]);
  if (status !== "pending" || why.length === 0) return undefined;
  const isRunning = why.some(({ reason }) => reason === "attempt-open") && why.length === 1;
  const title = isRunning ? "Its attempt" : "Why it does not run";
  const sentences = why.map((reason) => element("p", {}, ...sentenceOf(reason, definition)));
  return box("pending", title, sentences);
}

function box(kind: string, title: string, content: readonly HTMLElement[]): HTMLElement {
  return element("div", { class: `why ${kind}` }, element("h3", {}, title), ...content);
}

function sentenceOf(why: Sent<WaitingReason>, definition: string): readonly Child[] {
  switch (why.reason) {
    case "cancelling":
      return ["Its cancellation was requested. Its worker was asked to stop."];
    case "attempt-open":
      return why.lost
        ? [`Attempt ${why.attempt} began, and its worker is gone.`]
        : [
            `Attempt ${why.attempt} began and has not ended. If its worker is gone, another attempt begins soon.`,
          ];
    case "paused":
      return [
        `${definition} is paused`,
        why.by === undefined ? "" : ` by ${why.by}`,
        " since ",
        exactly(why.since),
        ".",
      ];
    case "lane":
      return [
        `It is ${ordinal(why.ahead.count + 1)}${why.ahead.more ? " or later" : ""} in its lane, which runs one at a time.`,
      ];
    case "retry":
      return [
        `Attempt ${why.attempt} failed `,
        ago(why.failedAt),
        ...(why.until === undefined
          ? [". It waits until its retry is due, or for a worker."]
          : [". Its retry is due at ", exactly(why.until), "."]),
      ];
    case "delayed":
      if (why.until === undefined) return ["It was submitted with a delay, which is not over."];
      return ["It is delayed until ", exactly(why.until), "."];
    case "limit": {
      const whose = why.perTenant === true ? " of its tenant" : "";
      const most = why.limit.toLocaleString("en");
      return [`It waits for a place${whose}: ${counted(why.running)} of ${most} run.`];
    }
    case "no-worker":
      return noWorker(why, definition);
    case "queued":
      return [`It waits for a free slot of a worker. ${dueOf(why.due)}, and ${counted(why.running)} run.`];
  }
}

function noWorker(
  { due, oldestDueMs, servedAt }: Sent<Extract<WaitingReason, { readonly reason: "no-worker" }>>,
  definition: string,
): readonly Child[] {
  if (servedAt === undefined && oldestDueMs < PATIENCE_MS)
    return ["It is due, and no worker has begun it yet."];
  return [
    ...(servedAt === undefined
      ? [`No worker runs any ${definition}`]
      : [`No process has served ${definition} since `, clockTime(servedAt)]),
    `. ${dueOf(due)}, the oldest for ${duration(oldestDueMs)}. `,
    `Is a worker with a processor for ${definition} started?`,
  ];
}

function dueOf(due: { readonly count: number; readonly more: boolean }): string {
  return due.count === 1 ? "1 is due" : `${counted(due)} are due`;
}

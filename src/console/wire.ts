import type { OperatorAction } from "../operator/actions.js";
import type { OperationAttempt, OperationDetails } from "../operator/details.js";
import type { WaitingReason } from "../operator/explain.js";
import type { DefinitionSettings } from "../operator/operator.js";
import type { DefinitionCounts } from "../operator/pause.js";
import type { SeriesStep } from "../operator/series.js";
import type { OperationSummary } from "../operator/summary.js";

/** Work of one definition that ended within a range of time. */
export interface EndedWork {
  /** Name of the definition. */
  readonly definition: string;
  /** Operations that completed. */
  readonly completed: number;
  /** Operations that failed and were not cancelled. */
  readonly failed: number;
  /** Whether a worker served the definition. */
  readonly served: boolean;
  /** Time from acceptance to end that half of the operations did not exceed. Milliseconds, up to 12 % too high. Absent if none ended. */
  readonly medianMs?: number;
  /** Time from acceptance to end that 95 % of the operations did not exceed. Milliseconds, up to 12 % too high. Absent if none ended. */
  readonly p95Ms?: number;
}

/** A range of time, in steps. */
export interface Range {
  readonly from: Date;
  readonly to: Date;
  /** Milliseconds. */
  readonly stepMs: number;
}

/** Work of all definitions that ended within a range of time. */
export interface Recent extends Range {
  readonly work: readonly EndedWork[];
  /** Steps in which anything ended, oldest first. */
  readonly points: readonly Pick<SeriesStep, "start" | "definition" | "completed" | "failed">[];
}

/** Work that happened to operations of one definition within a step of time. */
export type SeriesPoint = Pick<
  SeriesStep,
  "start" | "accepted" | "completed" | "failed" | "cancelled" | "waiting" | "running" | "total"
>;

/** Work that happened to operations of one definition within a range of time. */
export interface Series extends Range {
  /** Steps in which anything happened, oldest first. */
  readonly points: readonly SeriesPoint[];
  /** Actions on the definition in the range, newest first. Absent if the back end keeps no actions. */
  readonly marks?: readonly Pick<OperatorAction, "at" | "action" | "by">[];
}

/** Everything that does not depend on the filter. */
export interface Overview {
  /** Whether the caller may cancel, redrive, and read payloads and output. */
  readonly operates: boolean;
  readonly definitions: readonly string[];
  readonly settings: Readonly<Record<string, DefinitionSettings>>;
  readonly errorTypes: readonly string[];
  readonly stats: readonly DefinitionCounts[];
  /** Whether `api/events` tells which operations change. */
  readonly live: boolean;
  /** Work that ended within the last hour. Absent if the back end keeps no counts. */
  readonly lastHour?: readonly EndedWork[];
  /** Work that ended within the range of the request. Absent if the back end keeps no counts. */
  readonly recent?: Recent;
}

/** One event in the life of an operation. `at` is absent if the time is not known. */
export interface TimelineEntry {
  readonly event:
    | "accepted"
    | "omitted"
    | `attempt-${OperationAttempt["outcome"]}`
    | "waiting"
    | "failed"
    | "redriven";
  readonly at?: Date;
  /** When the attempt began. */
  readonly startedAt?: Date;
  /** When the operation is due, or was. */
  readonly until?: Date;
  /** Random id of the worker that ran the attempt. */
  readonly process?: string;
  /** Number of the attempt, or of the last attempt that was left out. */
  readonly attempt?: number;
  /** Reason of a failure. */
  readonly detail?: string;
  /** Id of the operation that this one runs again, or that runs this one again. */
  readonly other?: string;
}

/** One of several operations that run each other again. */
export type ChainLink = Pick<OperationSummary, "operationId" | "status" | "createdAt">;

/** An operation and what happened to it, without payloads. */
export interface Details {
  readonly operation: OperationSummary;
  readonly timeline: readonly TimelineEntry[];
  /** Whether the work writes output. */
  readonly hasOutput: boolean;
  /** When the work saved its last checkpoint. Absent without one. */
  readonly lastCheckpointAt?: Date;
  /** Why the operation does not run. Absent if it is not pending. */
  readonly why?: readonly WaitingReason[];
  /** URL of the trace that it was submitted in. */
  readonly traceUrl?: string;
  /** The operation with those that it runs again and that run it again, oldest first. Empty without any. */
  readonly chain: readonly ChainLink[];
  /** Operations that were created when this one ended, such as deliveries of webhooks. */
  readonly deliveries: readonly Pick<Details, "operation" | "timeline">[];
  /** Actions on it, newest first. Empty if the back end keeps no actions. */
  readonly actions: readonly OperatorAction[];
}

/** Payloads of an operation. Absent members are not stored. */
export type Payload = Pick<OperationDetails, "input" | "result" | "progress" | "resource" | "meta">;

/** Outcome of a change of one operation, with the operation of the result, without payloads. */
export interface Changed<Result extends { readonly outcome: string }> {
  readonly outcome: Result["outcome"];
  readonly operation?: OperationSummary;
}

/** Data as the page reads it: a `Date` is its RFC 3339 text in JSON. */
export type Sent<Data> = Data extends Date
  ? string
  : Data extends string
    ? Data
    : Data extends object
      ? { readonly [Name in keyof Data]: Sent<Data[Name]> }
      : Data;

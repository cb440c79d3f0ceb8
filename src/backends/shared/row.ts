import { AsyncReplyError } from "../../contract/errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import type { Mutable } from "../../contract/mutable.js";
import {
  DEFAULT_URGENCY,
  type FollowUp,
  type Operation,
  type OperationState,
} from "../../contract/operation.js";
import type { DueOperation } from "../../ports/claim.js";
import type { BoundedCount, ListedOperation, Pause } from "../../ports/operation-reads.js";
import type { OverdueOperation } from "../../ports/operation-store.js";

/** Row as the client of the database returns it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Reads a column that must hold text.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw corrupt(column);
  return value;
}

/**
 * Reads a column that must hold a JSON object. Some clients return it already parsed.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function json(row: Row, column: string): Row {
  const value: unknown = typeof row[column] === "string" ? parseStored(row[column]) : row[column];
  if (typeof value !== "object" || value === null) throw corrupt(column);
  return value as Row;
}

/**
 * Reads a column that must hold a whole number.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function integer(row: Row, column: string): number {
  const value = Number(row[column] ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw corrupt(column);
  return value;
}

/** Reads a column that must hold a boolean. SQLite has none, and stores 0 and 1. Throws `CORRUPT_RECORD`. */
export function flag(row: Row, column: string): boolean {
  const value = row[column];
  if (typeof value === "boolean") return value;
  if (value !== 0 && value !== 1) throw corrupt(column);
  return value === 1;
}

const STATES: ReadonlySet<unknown> = new Set(["preparing", "pending", "completed", "failed"]);

function isState(value: unknown): value is OperationState {
  return STATES.has(value);
}

/** Reads the state of an operation. Throws `CORRUPT_RECORD`. */
export function state(row: Row): OperationState {
  if (!isState(row.state)) throw corrupt("state");
  return row.state;
}

/** Columns with optional texts of a new operation, and the members that they become. */
export const GIVEN_TEXTS = [
  ["principal", "principal"],
  ["key", "key"],
  ["lane", "lane"],
  ["retry_of", "retryOf"],
] as const;

/** Other columns with optional texts, and the members that they become. */
const LATER_TEXTS = [
  ["retried_by", "retriedBy"],
  ["error", "error"],
  ["last_error", "lastError"],
] as const;

const LISTED_TEXTS = [...GIVEN_TEXTS, ...LATER_TEXTS];

/** Columns with the times that {@link toListed} reads. */
export const TIME_COLUMNS: readonly string[] = ["created_at", "settled_at"];

/** The other columns that {@link toListed} reads. */
export const LISTED_COLUMNS: readonly string[] = [
  ...["id", "tenant", "definition", "state", "hidden", "urgency", "cancel_requested", "attempt"],
  ...["retention_ms", "failed_retention_ms", "start_within_ms"],
  ...LISTED_TEXTS.map(([column]) => column),
];

/** Columns that {@link toOperation} reads besides those. */
export const PAYLOAD_COLUMNS: readonly string[] = [
  "input",
  "meta",
  "on_end",
  "resource",
  "progress",
  "result",
];

const OPTIONAL_PAYLOADS = ["meta", "resource", "progress", "result"] as const;

/**
 * Reads an operation without its payloads. Throws if the row cannot be read, so a corrupt operation never looks
 * missing.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function toListed(row: Row): ListedOperation {
  const listed: Mutable<ListedOperation> = {
    id: text(row, "id"),
    tenant: text(row, "tenant"),
    definition: text(row, "definition"),
    retentionMs: integer(row, "retention_ms"),
    state: state(row),
    attempt: integer(row, "attempt"),
    createdAt: integer(row, "created_at"),
  };
  if (row.failed_retention_ms !== null) listed.failedRetentionMs = integer(row, "failed_retention_ms");
  if (row.start_within_ms !== null) listed.startWithinMs = integer(row, "start_within_ms");
  if (row.settled_at !== null) listed.settledAt = integer(row, "settled_at");
  if (flag(row, "hidden")) listed.hidden = true;
  const urgency = integer(row, "urgency");
  if (urgency !== DEFAULT_URGENCY) listed.urgency = urgency;
  if (flag(row, "cancel_requested")) listed.cancelRequested = true;
  for (const [column, member] of LISTED_TEXTS) if (row[column] !== null) listed[member] = text(row, column);
  return listed;
}

/**
 * Reads an operation.
 *
 * Throws `CORRUPT_RECORD`.
 */
export function toOperation(row: Row): Operation {
  const operation: Mutable<Operation> = Object.assign(toListed(row), { input: text(row, "input") });
  for (const column of OPTIONAL_PAYLOADS) if (row[column] !== null) operation[column] = text(row, column);
  if (row.on_end !== null) operation.onEnd = toFollowUp(json(row, "on_end"));
  return operation;
}

/** Reads the follow-up of an operation. Throws `CORRUPT_RECORD`. */
export function toFollowUp(row: Row): FollowUp {
  const followUp: Mutable<FollowUp> = {
    id: text(row, "id"),
    definition: text(row, "definition"),
    input: text(row, "input"),
    retentionMs: integer(row, "retentionMs"),
  };
  // Postgres writes null in the follow-up of a successor.
  if ((row.failedRetentionMs ?? null) !== null)
    followUp.failedRetentionMs = integer(row, "failedRetentionMs");
  return followUp;
}

/** Reads an operation that is due. Throws `CORRUPT_RECORD`. */
export function toDue(row: Row): DueOperation {
  return { id: text(row, "id"), definition: text(row, "definition") };
}

/** Reads an operation that ended because it was overdue. Throws `CORRUPT_RECORD`. */
export function toOverdue(row: Row): OverdueOperation {
  const overdue = { ...toDue(row), tenant: text(row, "tenant"), createdAt: integer(row, "created_at") };
  return row.principal === null ? overdue : { ...overdue, principal: text(row, "principal") };
}

/** Reads the pause of a definition, or nothing if it is not paused. Throws `CORRUPT_RECORD`. */
export function toPaused(row: Row): { readonly paused?: Pause } {
  if ((row.paused_since ?? null) === null) return {};
  const since = integer(row, "paused_since");
  return { paused: row.paused_by === null ? { since } : { since, by: text(row, "paused_by") } };
}

function corrupt(column: string): AsyncReplyError {
  return new AsyncReplyError(
    "CORRUPT_RECORD",
    `Column ${column} of the operations table has an unexpected value.`,
  );
}

/** Highest count that is reported. Stores count up to one more, which means that there are more. */
export const MAX_COUNT = 10_000;

/** Returns a count that stops at {@link MAX_COUNT}. */
export function toBoundedCount(count: number): BoundedCount {
  return { count: Math.min(count, MAX_COUNT), more: count > MAX_COUNT };
}

import { AsyncReplyError } from "../../core/errors.js";
import type { Operation, OperationState } from "../../core/operation.js";

/** A row as a client gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Reads a column that must hold text.
 *
 * @throws AsyncReplyError `CORRUPT_RECORD`
 */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw corrupt(column);
  return value;
}

/**
 * Reads a column that must hold a JSON object, which some clients have parsed by then.
 *
 * @throws AsyncReplyError `CORRUPT_RECORD`
 */
export function json(row: Row, column: string): Row {
  const value: unknown = typeof row[column] === "string" ? JSON.parse(row[column]) : row[column];
  if (typeof value !== "object" || value === null) throw corrupt(column);
  return value as Row;
}

/**
 * Reads a column that must hold a whole number.
 *
 * @throws AsyncReplyError `CORRUPT_RECORD`
 */
export function integer(row: Row, column: string): number {
  const value = Number(row[column] ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw corrupt(column);
  return value;
}

const STATES: ReadonlySet<unknown> = new Set(["preparing", "pending", "completed", "failed"]);

function isState(value: unknown): value is OperationState {
  return STATES.has(value);
}

/** Reads the state of an operation. @throws AsyncReplyError `CORRUPT_RECORD` */
export function state(row: Row): OperationState {
  if (!isState(row.state)) throw corrupt("state");
  return row.state;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const OPTIONAL = ["key", "resource", "progress", "result", "error"] as const;

/**
 * An operation as its row says: a row that cannot be read is an error, not an absence.
 *
 * @throws AsyncReplyError `CORRUPT_RECORD`
 */
export function toOperation(row: Row): Operation {
  const operation: Mutable<Operation> = {
    id: text(row, "id"),
    scope: text(row, "scope"),
    definition: text(row, "definition"),
    input: text(row, "input"),
    state: state(row),
    attempt: integer(row, "attempt"),
    createdAt: integer(row, "created_at"),
  };
  if (row.settled_at !== null) operation.settledAt = integer(row, "settled_at");
  if (row.hidden === true) operation.hidden = true;
  for (const column of OPTIONAL) if (row[column] !== null) operation[column] = text(row, column);
  return operation;
}

function corrupt(column: string): AsyncReplyError {
  return new AsyncReplyError("CORRUPT_RECORD", `The column ${column} holds what it should not.`);
}

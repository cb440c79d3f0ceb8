import type { Operation, OperationState } from "async-request-reply";

export type Row = Readonly<Record<string, unknown>>;

/** What a driver has to offer: `pg.Pool`, a client of it, PGlite. */
export interface SqlClient {
  query(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
}

/** Runs a function within one transaction, which is rolled back when it throws. */
export type InTransaction = <Result>(run: (tx: SqlClient) => Promise<Result>) => Promise<Result>;

/** Reads a column that must hold text. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`${column} holds no text`);
  return value;
}

export function integer(row: Row, column: string): number {
  const value = Number(row[column]);
  if (!Number.isSafeInteger(value)) throw new TypeError(`${column} holds no integer`);
  return value;
}

/** A member for a column that may be null: absent then. */
function optional<Name extends string>(row: Row, column: Name): { readonly [name in Name]?: string };
function optional(row: Row, column: string): { readonly [name: string]: string } {
  return row[column] === null ? {} : { [column]: text(row, column) };
}

const STATES: readonly OperationState[] = ["preparing", "pending", "completed", "failed"];

export function toState(row: Row): OperationState {
  const state = STATES.find((each) => each === row.state);
  if (state === undefined) throw new TypeError("state holds no state");
  return state;
}

/** An operation as its row says. A row that cannot be read is an error, not an absence. */
export function toOperation(row: Row): Operation {
  return {
    id: text(row, "id"),
    scope: text(row, "scope"),
    definition: text(row, "definition"),
    input: text(row, "input"),
    state: toState(row),
    attempt: integer(row, "attempt"),
    createdAt: integer(row, "created_at"),
    ...(row.settled_at === null ? {} : { settledAt: integer(row, "settled_at") }),
    ...(row.hidden === true ? { hidden: true } : {}),
    ...optional(row, "key"),
    ...optional(row, "resource"),
    ...optional(row, "progress"),
    ...optional(row, "result"),
    ...optional(row, "error"),
  };
}

import type { NewOperation } from "../../../contract/operation.js";
import { createEntry, endIfOverdue, isRunning } from "../../../engine/entry.js";
import type { InitialState, OverdueOperation } from "../../../ports/operation-store.js";
import type { Row } from "../../shared/row.js";
import type { Changed } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";
import { resultCodeOf } from "../connection/store-error.js";
import {
  ADVANCE,
  advanceValues,
  END,
  endValues,
  HELD_BY_ID,
  type HeldKey,
  type HeldOperation,
  INSERT,
  insertValues,
  MAX_INLINE_INPUT,
  SET_START_BY,
  type StoredEntry,
  toEntry,
  toHeldEntry,
} from "./entry-row.js";
import { createPlaces, type Places } from "./places.js";

/** Reads and writes operations. Every method runs within a transaction or a single statement. */
export interface Records {
  /** Returns an entry. */
  find(id: string): StoredEntry | undefined;
  /** Returns the part of an entry that the settlement or renewal of an attempt needs. */
  findHeld(id: string): StoredEntry<HeldOperation> | undefined;
  /** Returns whether the operation exists. */
  has(id: string): boolean;
  /** Creates an operation, unless its id exists. */
  create(operation: NewOperation, initial: InitialState | undefined, changed: Changed, held?: HeldKey): void;
  /** Runs a step of the state machine and saves what it changed. */
  apply<Result>(entry: StoredEntry<HeldOperation>, step: (now: number) => Result, changed: Changed): Result;
  /** Deletes a row. A predecessor that was kept for it expires at once, unless its own retention is not over. */
  delete(row: Row): void;
  /** Which operations may begin. */
  readonly places: Places;
  /** Returns the time of the store's clock. Epoch milliseconds. */
  now(): number;
}

/** Selects operations with their whole inputs. `index` is the index to use. */
export function withInput(index?: string): string {
  const hint = index === undefined ? "" : ` indexed by ${index}`;
  return `${COLUMNS} from arr_operations o${hint}`;
}

const COLUMNS = `select o.seq, o.id, o.tenant, o.definition, o.principal, o.key, o.state, o.hidden, o.urgency, o.lane, o.attempt,
  o.token, o.lease_ends_at, o.due_at, o.previous_lost, o.cancel_requested, o.not_before,
  o.start_by, o.was_pending, o.created_at, o.settled_at, o.retention_ms, o.failed_retention_ms, o.start_within_ms, o.retry_of, o.retried_by, o.meta,
  o.on_end, o.resource, o.progress, o.result, o.error, o.last_error,
  case when o.input = '' then (select i.input from arr_inputs i where i.seq = o.seq) else o.input end as input`;

const BY_ID = `${withInput()} where o.id = ?`;

/** Creates the records of a database. */
export function createRecords(statements: Statements, now: () => number): Records {
  const { run, first } = statements;
  const places = createPlaces(statements, now);

  function has(id: string): boolean {
    return first("select 1 from arr_operations where id = ?", id) !== undefined;
  }

  function create(
    operation: NewOperation,
    initial: InitialState | undefined,
    changed: Changed,
    held?: HeldKey,
  ): void {
    const entry = createEntry(operation, initial, now());
    const { id, input } = operation;
    try {
      run(INSERT, ...insertValues(entry, held));
    } catch (error) {
      // Repeated calls are rare, so nothing looks for the id before.
      if (resultCodeOf(error) === "SQLITE_CONSTRAINT" && has(id)) return;
      throw error;
    }
    if (input.length > MAX_INLINE_INPUT)
      run("insert into arr_inputs (seq, input) select seq, ? from arr_operations where id = ?", input, id);
    changed.created.add(id);
    if (entry.operation.settledAt !== undefined) ended(entry.operation, changed);
  }

  function ended({ tenant, onEnd }: HeldOperation, changed: Changed): void {
    if (onEnd !== undefined) create({ ...onEnd, tenant, hidden: true }, undefined, changed);
  }

  function save(entry: StoredEntry<HeldOperation>, savedStartBy: number | undefined, changed: Changed): void {
    const hasEnded = entry.operation.settledAt !== undefined;
    if (hasEnded) {
      run(END, ...endValues(entry));
      ended(entry.operation, changed);
    } else run(ADVANCE, ...advanceValues(entry));
    const startBy = hasEnded ? undefined : entry.startBy;
    if (startBy !== savedStartBy) run(SET_START_BY, startBy ?? null, entry.seq);
    if (!isRunning(entry)) places.left(entry.operation);
  }

  return {
    now,
    places,
    has,
    create,
    find: (id) => {
      const row = first(BY_ID, id);
      return row && toEntry(row);
    },
    findHeld: (id) => {
      const row = first(HELD_BY_ID, id);
      return row && toHeldEntry(row);
    },
    apply: (entry, step, changed) => {
      const before = { ...entry };
      const result = step(now());
      const members = Object.keys(before) as (keyof StoredEntry)[];
      if (members.some((member) => entry[member] !== before[member])) save(entry, before.startBy, changed);
      if (entry.operation !== before.operation) changed.changed.add(entry.operation.id);
      return result;
    },
    delete: ({ seq, id, retry_of: retryOf }) => {
      run("delete from arr_operations where seq = ?", Number(seq));
      run("delete from arr_inputs where seq = ?", Number(seq));
      if (typeof retryOf !== "string") return;
      run(
        `update arr_operations set expires_at = max(?, settled_at + coalesce(failed_retention_ms, retention_ms))
         where id = ? and retried_by = ?`,
        now(),
        retryOf,
        String(id),
      );
    },
  };
}

/** Maximum number of removed operations that one call deletes. */
const MAX_FORGOTTEN = 100;

/** Deletes operations whose time from `remove` has come. */
export function deleteRemoved(statements: Statements, records: Records): void {
  const rows = statements.all(
    `select seq, id, retry_of from arr_operations indexed by arr_operations_forget
     where forget_at is not null and forget_at <= ? order by forget_at limit ?`,
    records.now(),
    MAX_FORGOTTEN,
  );
  for (const row of rows) records.delete(row);
}

/** Returns rows of operations whose retention has passed, the longest expired first. */
export function findExpired(statements: Statements, now: number, limit: number): readonly Row[] {
  return statements.all(
    `select seq, id, tenant, definition, key, key_hash, retry_of from arr_operations indexed by arr_operations_expires
     where expires_at is not null and expires_at <= ? order by expires_at limit ?`,
    now,
    limit,
  );
}

const OVERDUE = `${withInput("arr_operations_start_by")}
  where o.start_by is not null and o.token is null and o.previous_lost = 0 and o.start_by <= ? order by o.start_by limit ?`;

/** Returns whether any operation is overdue. */
export function hasOverdue(statements: Statements, records: Records): boolean {
  return statements.first(OVERDUE, records.now(), 1) !== undefined;
}

/** Ends operations that did not start in time, the longest overdue first. */
export function endOverdue(
  statements: Statements,
  records: Records,
  limit: number,
  changed: Changed,
): readonly OverdueOperation[] {
  const entries = statements.all(OVERDUE, records.now(), limit).map(toEntry);
  return entries.flatMap((entry) => records.apply(entry, (now) => endIfOverdue(entry, now), changed) ?? []);
}

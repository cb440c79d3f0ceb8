import type { NewOperation } from "../../../contract/operation.js";
import { createEntry, isRunning } from "../../../engine/entry.js";
import { passTurn } from "../../../engine/places.js";
import type { Table } from "../../../engine/table.js";
import type { InitialState } from "../../../ports/operation-store.js";
import { integer, text, toListed, toOperation } from "../../shared/row.js";
import type { Changed } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";
import { resultCodeOf } from "../connection/store-error.js";
import { createClaimSearches } from "./claim-searches.js";
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
  type Seq,
  type StoredEntry,
  toEntry,
  toHeldEntry,
  withInput,
} from "./entry-row.js";
import { findHolder, type HashedKey } from "./keys.js";
import { countPending, listQuery, readStats } from "./operator-queries.js";
import { createPlaceTable } from "./places.js";

/** The operations of a database. */
export type SqliteTable = Table<StoredEntry, Seq, StoredEntry<HeldOperation>, HashedKey>;

const BY_ID = `${withInput()} where o.id = ?`;
const VISIBLE = `${BY_ID} and o.tenant = ? and o.hidden = 0`;
const EXPIRED = `select seq, id, retry_of from arr_operations indexed by arr_operations_expires
  where expires_at is not null and expires_at <= ? order by expires_at limit ?`;
const KEPT_FOR = `select seq, settled_at + coalesce(failed_retention_ms, retention_ms) as kept_until from arr_operations
  where id = ? and retried_by = ?`;
const OVERDUE = `${withInput("arr_operations_start_by")}
  where o.start_by is not null and o.token is null and o.previous_lost = 0 and o.start_by <= ? order by o.start_by limit ?`;

/**
 * Creates the table of a database. Every method runs within a transaction or a single statement. `changed` gets the operations that
 * it writes.
 */
export function createTable(statements: Statements, now: () => number, changed: Changed): SqliteTable {
  const { run, first, all } = statements;
  const places = createPlaceTable(statements, now);

  function has(id: string): boolean {
    return first("select 1 from arr_operations where id = ?", id) !== undefined;
  }

  function insert(operation: NewOperation, initial?: InitialState, key?: HeldKey): void {
    const entry = createEntry(operation, initial, now());
    const { id, input } = operation;
    try {
      run(INSERT, ...insertValues(entry, key));
    } catch (error) {
      // Repeated calls are rare, so nothing looks for the id before.
      if (resultCodeOf(error) === "SQLITE_CONSTRAINT" && has(id)) return;
      throw error;
    }
    if (input.length > MAX_INLINE_INPUT)
      run("insert into arr_inputs (seq, input) select seq, ? from arr_operations where id = ?", input, id);
    changed.created.add(id);
    if (entry.operation.settledAt !== undefined) ended(entry.operation);
  }

  function ended({ tenant, onEnd }: HeldOperation): void {
    if (onEnd !== undefined) insert({ ...onEnd, tenant, hidden: true });
  }

  function save(entry: StoredEntry<HeldOperation>, savedStartBy: number | undefined): void {
    const hasEnded = entry.operation.settledAt !== undefined;
    if (hasEnded) {
      run(END, ...endValues(entry));
      ended(entry.operation);
    } else run(ADVANCE, ...advanceValues(entry));
    const startBy = hasEnded ? undefined : entry.startBy;
    if (startBy !== savedStartBy) run(SET_START_BY, startBy ?? null, entry.seq);
    if (!isRunning(entry)) passTurn(places, entry.operation);
  }

  function apply<Result>(entry: StoredEntry<HeldOperation>, step: (now: number) => Result): Result {
    const before = { ...entry };
    const result = step(now());
    const members = Object.keys(before) as (keyof StoredEntry)[];
    if (members.some((member) => entry[member] !== before[member])) save(entry, before.startBy);
    if (entry.operation !== before.operation) changed.changed.add(entry.operation.id);
    return result;
  }

  return {
    ...places,
    ...createClaimSearches(statements, now),
    has,
    insert: (operation, initial, key, fingerprint = "") =>
      insert(operation, initial, key && { hash: key.hash, fingerprint }),
    get: (id, tenant) => {
      const row = first(VISIBLE, id, tenant);
      return row && toOperation(row);
    },
    getMany: (ids) => [...new Set(ids)].flatMap((id) => all(BY_ID, id).map(toOperation)),
    list: (request) => {
      const { sql, values } = listQuery(request);
      return all(sql, ...values).map(toListed);
    },
    stats: (definition) => readStats(statements, definition, now()),
    countPending: (request) => countPending(statements, request),
    find: (id) => {
      const row = first(BY_ID, id);
      return row && toEntry(row);
    },
    findHeld: (id) => {
      const row = first(HELD_BY_ID, id);
      return row && toHeldEntry(row);
    },
    holderOf: (key) => findHolder(statements, key),
    apply,
    applyHeld: apply,
    cancelRequested: (id) => void changed.cancelled.add(id),
    hasOverdue: () => first(OVERDUE, now(), 1) !== undefined,
    overdue: (at, limit) => all(OVERDUE, at, limit).map(toEntry),
    redriven: ({ seq, operation: { id } }, successor) => {
      run("update arr_operations set retried_by = ?, expires_at = null where seq = ?", successor, seq);
      changed.changed.add(id);
    },
    expired: (limit) =>
      all(EXPIRED, now(), limit).map((row) => {
        const named = { named: integer(row, "seq"), id: text(row, "id") };
        return row.retry_of === null ? named : { ...named, retryOf: text(row, "retry_of") };
      }),
    keptFor: ({ id, retryOf }) => {
      const row = retryOf === undefined ? undefined : first(KEPT_FOR, retryOf, id);
      return row && { named: integer(row, "seq"), keptUntil: integer(row, "kept_until") };
    },
    expire: (seq, at) => void run("update arr_operations set expires_at = ? where seq = ?", at, seq),
    delete: (seq) => {
      run("delete from arr_operations where seq = ?", seq);
      run("delete from arr_inputs where seq = ?", seq);
    },
    pause: (definition, by) =>
      void run(
        "insert or ignore into arr_paused (definition, since, paused_by) values (?, ?, ?)",
        ...[definition, now(), by ?? null],
      ),
    resume: (definition) => void run("delete from arr_paused where definition = ?", definition),
  };
}

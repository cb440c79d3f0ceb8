import type { Mutable } from "../../../contract/mutable.js";
import { DEFAULT_URGENCY, keptMs, type Operation } from "../../../contract/operation.js";
import type { Entry, Stepped } from "../../../engine/entry.js";
import {
  GIVEN_TEXTS,
  integer,
  json,
  LISTED_COLUMNS,
  PAYLOAD_COLUMNS,
  type Row,
  state,
  TIME_COLUMNS,
  text,
  toFollowUp,
  toOperation,
} from "../../shared/row.js";
import type { SqliteValue } from "../connection/sqlite-database.js";

/** The part of an operation that the settlement or renewal of an attempt reads or saves. */
export type HeldOperation = Stepped &
  Pick<
    Operation,
    | "id"
    | "tenant"
    | "definition"
    | "lane"
    | "retentionMs"
    | "failedRetentionMs"
    | "startWithinMs"
    | "onEnd"
    | "resource"
    | "progress"
  > &
  Pick<Operation, "lastError" | "settledAt" | "result" | "error">;

/** Entry with the `seq` of its row. */
export interface StoredEntry<Stored extends HeldOperation = Operation> extends Entry<Stored> {
  readonly seq: number;
}

/** The `seq` of an operation that is not read yet. */
export type Seq = number;

/** Longest input in the row of its operation. Longer ones are in another table. UTF-16 code units. */
export const MAX_INLINE_INPUT = 4_096;

/** Selects operations with their whole inputs. `index` is the index to use. */
export function withInput(index?: string): string {
  const hint = index === undefined ? "" : ` indexed by ${index}`;
  return `${COLUMNS} from arr_operations o${hint}`;
}

/** Columns that only entries have. */
const OWN_COLUMNS = "seq token lease_ends_at due_at previous_lost not_before start_by was_pending".split(" ");
const PLAIN_COLUMNS = [...LISTED_COLUMNS, ...TIME_COLUMNS, ...PAYLOAD_COLUMNS, ...OWN_COLUMNS].filter(
  (name) => name !== "input",
);

const COLUMNS = `select ${PLAIN_COLUMNS.map((name) => `o.${name}`).join(", ")},
  case when o.input = '' then (select i.input from arr_inputs i where i.seq = o.seq) else o.input end as input`;

/** Selects an entry for {@link toHeldEntry}, without the columns that it does not need, because each of them takes time. */
export const HELD_BY_ID = `select seq, id, tenant, definition, lane, state, attempt, token, lease_ends_at, due_at,
  previous_lost, cancel_requested, not_before, start_by, was_pending, retention_ms, failed_retention_ms, start_within_ms, on_end,
  resource, progress, last_error from arr_operations where id = ?`;

/** Reads the part of an entry that the settlement or renewal of an attempt needs. Throws `CORRUPT_RECORD`. */
export function toHeldEntry(row: Row): StoredEntry<HeldOperation> {
  const operation: Mutable<HeldOperation> = {
    id: text(row, "id"),
    tenant: text(row, "tenant"),
    definition: text(row, "definition"),
    retentionMs: integer(row, "retention_ms"),
    state: state(row),
    attempt: integer(row, "attempt"),
  };
  if (row.failed_retention_ms !== null) operation.failedRetentionMs = integer(row, "failed_retention_ms");
  if (row.start_within_ms !== null) operation.startWithinMs = integer(row, "start_within_ms");
  if (row.on_end !== null) operation.onEnd = toFollowUp(json(row, "on_end"));
  if (row.lane !== null) operation.lane = text(row, "lane");
  if (row.resource !== null) operation.resource = text(row, "resource");
  if (row.progress !== null) operation.progress = text(row, "progress");
  if (row.last_error !== null) operation.lastError = text(row, "last_error");
  if (row.cancel_requested === 1) operation.cancelRequested = true;
  return withOwnData(row, operation);
}

/** Reads an entry. Throws `CORRUPT_RECORD`. */
export function toEntry(row: Row): StoredEntry {
  return withOwnData(row, toOperation(row));
}

function withOwnData<Stored extends HeldOperation>(row: Row, operation: Stored): StoredEntry<Stored> {
  return {
    seq: integer(row, "seq"),
    operation,
    token: typeof row.token === "string" ? row.token : undefined,
    leaseEndsAt: Number(row.lease_ends_at),
    dueAt: Number(row.due_at),
    previousLost: row.previous_lost === 1,
    notBefore: Number(row.not_before),
    startBy: row.start_by === null ? undefined : Number(row.start_by),
    wasPending: row.was_pending === 1,
  };
}

/** The key that a row holds, with its hash. */
export interface HeldKey {
  readonly hash: number;
  readonly fingerprint: string;
}

/** The columns of a new row, with their values. */
const NEW_COLUMNS: Readonly<
  Record<string, (operation: Operation, entry: Entry, held: HeldKey | undefined) => SqliteValue | undefined>
> = {
  id: ({ id }) => id,
  tenant: ({ tenant }) => tenant,
  definition: ({ definition }) => definition,
  key_hash: (_, __, held) => held?.hash,
  fingerprint: (_, __, held) => held?.fingerprint,
  state: ({ state }) => state,
  hidden: ({ hidden }) => flag(hidden === true),
  urgency: ({ urgency = DEFAULT_URGENCY }) => urgency,
  attempt: ({ attempt }) => attempt,
  token: (_, { token }) => token,
  lease_ends_at: (_, { leaseEndsAt }) => leaseEndsAt,
  due_at: (_, { dueAt }) => dueAt,
  previous_lost: (_, { previousLost }) => flag(previousLost),
  cancel_requested: () => 0,
  not_before: (_, { notBefore }) => notBefore,
  start_by: (_, { startBy }) => startBy,
  was_pending: (_, { wasPending }) => flag(wasPending),
  created_at: ({ createdAt }) => createdAt,
  settled_at: ({ settledAt }) => settledAt,
  retention_ms: ({ retentionMs }) => retentionMs,
  failed_retention_ms: ({ failedRetentionMs }) => failedRetentionMs,
  start_within_ms: ({ startWithinMs }) => startWithinMs,
  expires_at: (operation) => expiresAt(operation),
  meta: ({ meta }) => meta,
  on_end: ({ onEnd }) => onEnd && JSON.stringify(onEnd),
  error: ({ error }) => error,
  input: ({ input }) => (input.length > MAX_INLINE_INPUT ? "" : input),
  ...Object.fromEntries(GIVEN_TEXTS.map(([column, member]) => [column, (operation) => operation[member]])),
};
const NEW_VALUES = Object.values(NEW_COLUMNS);

export const INSERT: string = `insert into arr_operations (${Object.keys(NEW_COLUMNS).join(", ")})
  values (${NEW_VALUES.map(() => "?").join(", ")})`;

/** Returns the parameters of {@link INSERT}. */
export function insertValues(entry: Entry, held: HeldKey | undefined): SqliteValue[] {
  return NEW_VALUES.map((read) => read(entry.operation, entry, held) ?? null);
}

/** Saves everything that a step changes in an unfinished operation. The columns of other indexes are left alone. */
export const ADVANCE = `update arr_operations set state = ?, attempt = ?, token = ?, lease_ends_at = ?, due_at = ?,
  previous_lost = ?, cancel_requested = ?, was_pending = ?, resource = ?, progress = ?,
  last_error = ? where seq = ?`;

/** Saves the time when an operation expires. Few operations have one, and to set it again takes time. */
export const SET_START_BY = "update arr_operations set start_by = ? where seq = ?";

/** Returns the parameters of {@link ADVANCE}. */
export function advanceValues(entry: StoredEntry<HeldOperation>): SqliteValue[] {
  const { state, attempt, resource, progress, lastError } = entry.operation;
  return [
    ...[state, attempt, entry.token ?? null, entry.leaseEndsAt, entry.dueAt, flag(entry.previousLost)],
    ...[flag(entry.operation.cancelRequested === true), flag(entry.wasPending)],
    ...[resource ?? null, progress ?? null, lastError ?? null, entry.seq],
  ];
}

/** Saves the end of an operation. */
export const END = `update arr_operations set state = ?, settled_at = ?, expires_at = ?, progress = ?,
  result = ?, error = ?, last_error = ? where seq = ?`;

/** Returns the parameters of {@link END}. */
export function endValues({ operation, seq }: StoredEntry<HeldOperation>): SqliteValue[] {
  const {
    state,
    settledAt = null,
    progress = null,
    result = null,
    error = null,
    lastError = null,
  } = operation;
  return [state, settledAt, expiresAt(operation), progress, result, error, lastError, seq];
}

function expiresAt(operation: HeldOperation): number | null {
  return operation.settledAt === undefined ? null : operation.settledAt + keptMs(operation);
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

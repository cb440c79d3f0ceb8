import type { BeginResult, OperationStore, Settlement } from "async-request-reply";
import { integer, type Row, type SqlClient, text, toOperation, toState } from "./sql.js";

/** A moment from now, in the milliseconds of a parameter, by the clock of the store. */
const later = (parameter: string): string => `now() + ${parameter} * interval '1 ms'`;

/** The conditions of `beginAttempt`, in the order in which they decide. */
const BEGIN = `
  with before as (select * from operations where id = $1 for update),
  begun as (
    update operations o set token = $2, lease_ends_at = ${later("$3")}, announce_at = ${later("$3")}, round = 0,
      attempt = o.attempt + (o.token is distinct from $2)::int,
      previous_lost = o.previous_lost or (o.token is not null and o.token <> $2)
    from before b
    where o.id = b.id and b.settled_at is null and not b.cancel_requested
      and (b.token = $2 or (b.token is null and b.due_at <= now()) or b.lease_ends_at <= now())
    returning o.*)
  select b.*, coalesce(begun.attempt, b.attempt) as attempt, begun.previous_lost,
    case when begun.id is not null then 'begun' when b.settled_at is not null then 'terminal'
      when b.token is null then 'not-due' else 'busy' end as outcome,
    ceil(extract(epoch from b.due_at - now()) * 1000) as due_in_ms
  from before b left join begun on true`;

const SETTLE: string = `
  with settled as (
    update operations set state = $3, attempt = attempt - $4, result = $5, error = $6, resource = $7,
      token = case when $8 then token end, due_at = ${later("$9")}, announce_at = ${later("$9")},
      settled_at = case when $8 then now() end
    where id = $1 and token = $2 and settled_at is null returning *),
  followed as (
    insert into operations (id, scope, definition, input, key, hidden)
    select n.* from settled, jsonb_to_recordset($10) as n(id uuid, scope text, definition text, input text,
      key text, hidden boolean) where $8 on conflict (id) do nothing)
  select state from settled
  union all select state from operations where id = $1 and token = $2 and settled_at is not null`;

/** An outline, to see that the port fits: one row is the operation, its key, and its due work. */
export function createPostgresOperationStore(client: SqlClient): OperationStore {
  const first = async (statement: string, values: readonly unknown[]): Promise<Row | undefined> =>
    (await client.query(statement, values)).rows[0];
  return {
    create: async (operation, initial) => {
      const { id, scope, definition, input, key, hidden } = operation;
      const lease = initial?.state === "preparing" ? [initial.token, initial.leaseMs] : [undefined, 30_000];
      const error = initial?.state === "failed" ? initial.error : undefined;
      const row = await first(
        `insert into operations (id, scope, definition, input, key, hidden, state, error, token, announce_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${later("$10")})
         on conflict (id) do update set id = excluded.id where operations.state = 'claimed'
           or (operations.state = 'preparing' and operations.token = excluded.token) returning id`,
        [id, scope, definition, input, key, hidden ?? false, initial?.state ?? "pending", error, ...lease],
      );
      return row === undefined ? "exists" : "created";
    },
    get: async (id, scope) => {
      const row = await first("select * from operations where id = $1 and scope = $2 and not hidden", [
        id,
        scope,
      ]);
      return row && toOperation(row);
    },
    beginAttempt: async (id, { token, leaseMs }) => toBeginResult(await first(BEGIN, [id, token, leaseMs])),
    renew: async ({ operationId, token }, { leaseMs, progress }) => {
      const row = await first(
        `update operations set lease_ends_at = ${later("$3")}, progress = coalesce($4, progress)
         where id = $1 and token = $2 and settled_at is null returning cancel_requested`,
        [operationId, token, leaseMs, progress],
      );
      if (row === undefined) return { outcome: "lost" };
      return { outcome: "renewed", cancelRequested: row.cancel_requested === true };
    },
    settle: async ({ operationId, token }, settlement, then = []) => {
      const row = await first(SETTLE, [operationId, token, ...columnsOf(settlement), JSON.stringify(then)]);
      return row === undefined ? { outcome: "lost" } : { outcome: "settled", state: toState(row) };
    },
    requestCancel: async (id, scope) => {
      const row = await first("select cancel_operation($1, $2) as outcome", [id, scope]);
      const outcomes = ["cancelled", "requested", "terminal"] as const;
      return outcomes.find((outcome) => outcome === row?.outcome) ?? "unknown";
    },
    takeDue: async ({ definitions, limit }) => {
      const { rows } = await client.query(
        `update operations set round = round + 1, announce_at = ${later("least(30000 * 4 ^ round, 3600000)")}
         where id in (select id from operations where definition = any($1) and announce_at <= now()
           order by announce_at for update skip locked limit $2) returning id, definition`,
        [definitions, limit],
      );
      return rows.map((row) => ({ id: text(row, "id"), definition: text(row, "definition") }));
    },
    takeExpired: async ({ retentionMs, limit }) => {
      const { rows } = await client.query("select * from take_expired($1, $2)", [retentionMs, limit]);
      return rows.map(toOperation);
    },
    remove: async (ids, { afterMs }) => {
      await client.query(
        `update operations set forget_at = ${later("$2")} where id = any($1) and settled_at is not null`,
        [ids, afterMs],
      );
    },
  };
}

/** What `BEGIN` says of one operation. */
export function toBeginResult(row: Row | undefined): BeginResult {
  switch (row?.outcome) {
    case "begun":
      return { outcome: "begun", operation: toOperation(row), previousLost: row.previous_lost === true };
    case "not-due":
      return { outcome: "not-due", dueInMs: integer(row, "due_in_ms") };
    case "busy":
    case "terminal":
      return { outcome: row.outcome };
    default:
      return { outcome: "unknown" };
  }
}

/** State, attempts taken back, result, error, resource, whether it ends, and the delay of a settlement. */
function columnsOf(settlement: Settlement): readonly unknown[] {
  switch (settlement.to) {
    case "completed":
      return ["completed", 0, settlement.result, undefined, undefined, true, undefined];
    case "failed":
      return ["failed", 0, undefined, settlement.error, undefined, true, undefined];
    case "prepared":
      return ["pending", 1, undefined, undefined, settlement.resource, false, 0];
    case "retry":
      return [
        "pending",
        settlement.countAttempt ? 0 : 1,
        undefined,
        undefined,
        undefined,
        false,
        settlement.delayMs,
      ];
  }
}

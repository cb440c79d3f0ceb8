import { integer, type Row, text } from "../../shared/row.js";
import { sharesOf, type Turns } from "../../shared/turns.js";
import type { Statements } from "../connection/statements.js";
import { withInput } from "./records.js";

/** Selects due operations of one definition that may begin. */
export interface TurnRequest {
  readonly definition: string;
  readonly now: number;
  /** Whether operations that are `preparing` may begin. */
  readonly creates: boolean;
  /** Whether operations may begin whose last attempt was lost. */
  readonly admitted: boolean;
  readonly limit: number;
}

/** A claim looks at this many tenants per slot, because the earliest work of a tenant may be due later. */
const PROBES_PER_SLOT = 4;

const LEVELS = `with level(urgency) as (values (0), (1), (2), (3), (4), (5), (6), (7)) select urgency from level
  where exists (select 1 from arr_operations o indexed by arr_operations_turns
    where o.announce_at is not null and o.token is null and o.definition = ? and o.urgency = level.urgency)`;
const NEXT_TENANT = `select tenant, due_at from arr_operations indexed by arr_operations_turns
  where announce_at is not null and token is null and definition = ? and urgency = ? and tenant > ? order by tenant, due_at limit 1`;
const OF_TENANT = `${withInput("arr_operations_turns")}
  where o.announce_at is not null and o.token is null and o.definition = ? and o.urgency = ? and o.tenant = ?
  and o.due_at <= ? and (? = 1 or o.state <> 'preparing') and (? = 1 or o.previous_lost = 0) order by o.due_at limit ?`;

/**
 * Selects due operations in the order of their urgency and, within one urgency, by turns of their tenants, the oldest of
 * each tenant first.
 */
export function selectByTurns(statements: Statements, turns: Turns, request: TurnRequest): readonly Row[] {
  const { definition, now, creates, admitted, limit } = request;
  const rows: Row[] = [];
  for (const level of statements.all(LEVELS, definition)) {
    const urgency = integer(level, "urgency");
    const tenants = nextTenants(statements, turns, { ...request, urgency, limit: limit - rows.length });
    const shareOf = sharesOf(limit - rows.length, tenants.length);
    for (const [place, tenant] of tenants.entries()) {
      const values = [definition, urgency, tenant, now, creates ? 1 : 0, admitted ? 1 : 0] as const;
      rows.push(...statements.all(OF_TENANT, ...values, shareOf(place)));
    }
    if (rows.length >= limit) break;
  }
  return rows;
}

/** Returns the tenants with due work whose turn it is: those after the last one, and then the others. */
function nextTenants(
  statements: Statements,
  turns: Turns,
  { definition, urgency, now, limit }: TurnRequest & { readonly urgency: number },
): readonly string[] {
  const last = turns.last(definition, urgency);
  const tenants: string[] = [];
  let here = last;
  let wrapped = false;
  for (let probes = limit * PROBES_PER_SLOT; probes > 0 && tenants.length < limit; probes -= 1) {
    const row = statements.first(NEXT_TENANT, definition, urgency, here);
    const next = row && text(row, "tenant");
    if (row === undefined || next === undefined || (wrapped && next > last)) {
      if (wrapped) break;
      wrapped = true;
      here = "";
      continue;
    }
    here = next;
    turns.had(definition, urgency, next);
    if (integer(row, "due_at") <= now) tenants.push(next);
  }
  return tenants;
}

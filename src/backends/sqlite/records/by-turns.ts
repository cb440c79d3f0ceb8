import { integer, type Row, text } from "../../shared/row.js";
import type { Statements } from "../connection/statements.js";
import { withInput } from "./records.js";
import { sharesOf, type Turns } from "./turns.js";

/** Selects due operations of one definition that may begin. */
export interface TurnRequest {
  readonly definition: string;
  readonly now: number;
  /** Whether operations that are `preparing` may begin. */
  readonly creates: boolean;
  /** Whether operations may begin whose last attempt was lost. */
  readonly admitted: boolean;
  readonly limit: number;
  /** Free places for a tenant. Default: no limit. */
  readonly freeFor?: ((tenant: string) => number) | undefined;
}

/** A claim passes one tenant without due work for two slots, and at least this many. */
const LEAST_MISSES = 16;
/** And so many more, if tenants have limits. */
const MISSES_WITH_LIMITS = 1_000;

/** Condition of operations `o` that are not overdue. Its parameter is the time. */
export const IN_TIME = "(o.start_by is null or o.previous_lost = 1 or o.start_by > ?)";

const LEVELS = `with level(urgency) as (values (0), (1), (2), (3), (4), (5), (6), (7)) select urgency from level
  where exists (select 1 from arr_operations o indexed by arr_operations_turns
    where o.announce_at is not null and o.token is null and o.behind = 0 and o.definition = ? and o.urgency = level.urgency)`;
const NEXT_TENANT = `select tenant, due_at, seq from arr_operations indexed by arr_operations_turns
  where announce_at is not null and token is null and behind = 0 and definition = ? and urgency = ?
  and tenant > ? order by tenant, due_at limit 1`;
const OLDEST = `${withInput()} where o.seq in (select value from json_each(?))
  and (? = 1 or o.state <> 'preparing') and (? = 1 or o.previous_lost = 0) and ${IN_TIME}`;
const OF_TENANT = `${withInput("arr_operations_turns")}
  where o.announce_at is not null and o.token is null and o.behind = 0 and o.definition = ? and o.urgency = ? and o.tenant = ?
  and o.due_at <= ? and (? = 1 or o.state <> 'preparing') and (? = 1 or o.previous_lost = 0) and ${IN_TIME} order by o.due_at limit ?`;

/**
 * Selects due operations in the order of their urgency and, within one urgency, by turns of their tenants, the oldest of
 * each tenant first.
 */
export function selectByTurns(statements: Statements, turns: Turns, request: TurnRequest): Chosen {
  const { definition, now, creates, admitted, limit, freeFor = unlimited } = request;
  let complete = true;
  for (const level of statements.all(LEVELS, definition)) {
    const urgency = integer(level, "urgency");
    const found = nextTenants(statements, turns, { ...request, urgency });
    complete &&= found.complete;
    const shareOf = sharesOf(limit, found.oldest.length);
    const filters = [creates ? 1 : 0, admitted ? 1 : 0, now] as const;
    const shares = found.oldest.map(({ tenant, seq }, place) => ({
      tenant,
      seq,
      share: Math.min(shareOf(place), freeFor(tenant)),
    }));
    // With more tenants than slots, one statement reads the only operation of each.
    const single = shares.flatMap(({ seq, share }) => (share === 1 ? seq : []));
    const first = new Map(
      single.length === 0
        ? []
        : statements.all(OLDEST, JSON.stringify(single), ...filters).map((row) => [row.seq, row]),
    );
    const rows = shares.flatMap(
      ({ tenant, seq, share }) =>
        first.get(seq) ?? statements.all(OF_TENANT, definition, urgency, tenant, now, ...filters, share),
    );
    // A tenant may have more of this urgency than its share. The next look takes that before less urgent work.
    if (rows.length > 0) return { rows, complete };
  }
  return { rows: [], complete };
}

/** Operations that were selected, and whether the selection has looked at all tenants that it needed. */
export interface Chosen {
  readonly rows: readonly Row[];
  readonly complete: boolean;
}

/** The oldest operation of a tenant. */
interface Oldest {
  readonly tenant: string;
  readonly seq: number;
}

function unlimited(): number {
  return Number.POSITIVE_INFINITY;
}

/** Returns the tenants with due work whose turn it is, and their oldest: those after the last one, and then the others. */
function nextTenants(
  statements: Statements,
  turns: Turns,
  { definition, urgency, now, limit, freeFor }: TurnRequest & { readonly urgency: number },
): { readonly oldest: readonly Oldest[]; readonly complete: boolean } {
  const last = turns.last(definition, urgency);
  const oldest: Oldest[] = [];
  let here = last;
  let wrapped = false;
  // Without places, there is no search in the order of time after this one, so it looks at more tenants.
  let misses = Math.max(LEAST_MISSES, limit / 2) + (freeFor === undefined ? 0 : MISSES_WITH_LIMITS);
  while (misses > 0 && oldest.length < limit) {
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
    if (integer(row, "due_at") <= now && (freeFor === undefined || freeFor(next) > 0))
      oldest.push({ tenant: next, seq: integer(row, "seq") });
    else misses -= 1;
  }
  return { oldest, complete: misses > 0 || oldest.length >= limit };
}

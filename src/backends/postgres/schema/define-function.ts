/** What a function needs to be created. */
export interface FunctionParts {
  readonly schema: string;
  /** With its version: a release that changes a function adds one, so that the release before it goes on. */
  readonly name: string;
  readonly parameters: string;
  readonly returns: string;
  /** How long it waits for a row that somebody else holds. `caller`: as long as the function that calls it. */
  readonly lockTimeoutMs?: number | "caller";
  /** It reads no table, so that there is no plan to go wrong, and settings would take longer than they save. */
  readonly readsNothing?: boolean;
  /**
   * Its commit waits for no disk: it only takes a lease or a turn. A crash of the server may forget it, as if the lease had
   * been lost: all that depends on it is committed later, and nothing that is later survives without it.
   */
  readonly forgettable?: boolean;
  readonly declare?: string;
  readonly body: string;
}

/** The type of functions that return operations: where in the call each stood, what became of it, and its row. */
export function operationTable(schema: string): string {
  return `table (place integer, outcome text, operation ${schema}.operations)`;
}

/**
 * The text that creates a function. Plans are made for the life of a connection, maybe while the table is empty: only
 * index scans in the order of the indexes stay good when it has grown, so the function rules out all others. That done,
 * planning anew for the arrays of each call gains nothing, and would take as long as the insert itself.
 */
export function defineFunction(parts: FunctionParts): string {
  const { schema, name, parameters, returns, forgettable = false, declare = "", body } = parts;
  return `
create or replace function ${schema}.${name}(${parameters}) returns ${returns} language plpgsql${settingsOf(parts)}
as $function$
#variable_conflict use_column
declare
  at timestamptz := ${schema}.now_v1();
${declare}begin
  ${forgettable ? `${FORGETTABLE}\n  ` : ""}${body.trim()}
end
$function$;`;
}

/** Until the end of the transaction: a setting of the function would end before the commit. */
export const FORGETTABLE = "perform set_config('synchronous_commit', 'off', true);";

function settingsOf({ lockTimeoutMs = 5_000, readsNothing = false }: FunctionParts): string {
  const lock = lockTimeoutMs === "caller" ? "" : `\nset lock_timeout = '${lockTimeoutMs}ms'`;
  return readsNothing ? lock : `${PLANNING}${lock}`;
}

const PLANNING = `
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan`;

/** A moment so many milliseconds after the start of the call. */
export function later(milliseconds: string): string {
  return `at + ${milliseconds} * interval '1 ms'`;
}

/** What a function needs to be created. */
export interface FunctionParts {
  readonly schema: string;
  /** With its version: a release that changes a function adds one, so that the release before it goes on. */
  readonly name: string;
  readonly parameters: string;
  readonly returns: string;
  /** How long it waits for a row that somebody else holds. */
  readonly lockTimeoutMs?: number;
  /** Called by other functions only, under whose settings it runs. */
  readonly within?: boolean;
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
  const { schema, name, parameters, returns, declare = "", body } = parts;
  return `
create or replace function ${schema}.${name}(${parameters}) returns ${returns} language plpgsql${settingsOf(parts)}
as $function$
#variable_conflict use_column
declare
  at timestamptz := ${schema}.now_v1();
${declare}begin
  ${body.trim()}
end
$function$;`;
}

function settingsOf({ lockTimeoutMs = 5_000, within = false }: FunctionParts): string {
  if (within) return "";
  return `
set search_path = pg_catalog, pg_temp
set lock_timeout = '${lockTimeoutMs}ms'
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan`;
}

/** A moment so many milliseconds after the start of the call. */
export function later(milliseconds: string): string {
  return `at + ${milliseconds} * interval '1 ms'`;
}

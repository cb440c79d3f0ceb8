import output from "./output.sql";

/** A function whose statements always use indexes, and keep their plans. Belongs to this version. */
const BY_INDEX = `set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan`;

/** The SQL of version 2. */
export const version2: string = output.replaceAll("{{by_index}}", BY_INDEX);

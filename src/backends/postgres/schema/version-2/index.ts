import output from "./output.sql";

/** A function whose statements always use indexes, and keep their plans. Belongs to this version. */
const BY_INDEX = `set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan`;

/** Whether chunks fit into the tail. An update copies the tail, which costs less than an insert as long as it is this short. */
const FITS = "h.tail_size + i.size <= 512 and i.number <= h.checkpoint_number";

/** Finds the last chunks of an output without a tail, if they are all that the reader lacks. */
const LAST = `select c.first, c.chunks from {{schema}}.output_chunks c
    where h.tail_size = 0 and h.count > n.count and c.operation_id = n.id and c.epoch = (h.segments->-1->>0)::integer
      and c.first = n.count and c.first + c.count = h.count`;

/** The SQL of version 2. */
export const version2: string = output
  .replaceAll("{{by_index}}", BY_INDEX)
  .replaceAll("{{fits}}", FITS)
  .replaceAll("{{last}}", LAST);

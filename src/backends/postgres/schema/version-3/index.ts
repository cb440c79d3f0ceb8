import actions from "./actions.sql";
import inspecting from "./inspecting.sql";
import minutes from "./minutes.sql";

const COUNTS = ["accepted", "started", "completed", "failed", "cancelled", "retried", "lost", "refused"];
const TIMES = ["waiting", "running", "total"];
const NAMES = [...COUNTS, ...TIMES];

const each = (toText: (name: string) => string, names: readonly string[] = NAMES): string =>
  names.map(toText).join(", ");
const sums = (toTime: (sum: string) => string): string =>
  [
    each((name) => `sum(t.${name})::bigint`, COUNTS),
    each((name) => toTime(`{{schema}}.sum_histograms_v3(array_agg(t.${name}))`), TIMES),
  ].join(", ");

/** Texts that replace names in double braces. Belongs to this version, and never changes once a release has it. */
const TEMPLATES: Readonly<Record<string, string>> = {
  /** A function whose statements always use indexes, and keep their plans. */
  by_index: `set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan`,
  count_columns: each((name) => `${name} bigint not null`, COUNTS),
  time_columns: each((name) => `${name} jsonb not null`, TIMES),
  names: each((name) => name),
  types: [each((name) => `${name} bigint`, COUNTS), each((name) => `${name} jsonb`, TIMES)].join(", "),
  result_types: [each((name) => `${name} bigint`, COUNTS), each((name) => `${name} text`, TIMES)].join(", "),
  row_values: each((name) => `r.${name}`),
  replaced: each((name) => `${name} = excluded.${name}`),
  summed: sums((sum) => sum),
  read_sums: sums((sum) => `${sum}::text`),
  take_stale: `delete from {{schema}}.minutes m using stale s
    where m.definition = s.definition and m.start_ms = s.start_ms and m.span_ms = s.span_ms and m.process = s.process
    returning m.*`,
  add_up: `on conflict (definition, start_ms, span_ms, process) do update
    set written_at = excluded.written_at, served = known.served or excluded.served,
      ${each((name) => `${name} = known.${name} + excluded.${name}`, COUNTS)},
      ${each((name) => `${name} = {{schema}}.sum_histograms_v3(array[known.${name}, excluded.${name}])`, TIMES)}`,
};

/** The SQL of version 3. */
export const version3: string = [inspecting, minutes, actions]
  .join("\n")
  .replaceAll(/\{\{(\w+)\}\}/g, (found, name: string) => TEMPLATES[name] ?? found);

import attempts from "./attempts.sql";
import claims from "./claims.sql";
import followUps from "./follow-ups.sql";
import places from "./places.sql";
import reading from "./reading.sql";
import recording from "./recording.sql";
import sweeping from "./sweeping.sql";
import tables from "./tables.sql";
import transactions from "./transactions.sql";

/**
 * Columns that few new operations set: each with its type, its value from the JSON `extra`, and whether a redrive copies
 * it.
 */
const RARE: Readonly<Record<string, readonly [type: string, value: string, copied?: "copied"]>> = {
  hidden: ["boolean", "coalesce((extra->>'hidden')::boolean, false)", "copied"],
  urgency: ["smallint", "coalesce((extra->>'urgency')::smallint, 3::smallint)", "copied"],
  start_within_ms: ["bigint", "(extra->>'startWithinMs')::bigint", "copied"],
  lane: ["text", "extra->>'lane'", "copied"],
  on_end: ["text", "extra->>'onEnd'"],
  retry_of: ["uuid", "(extra->>'retryOf')::uuid"],
};
const rare = Object.entries(RARE);
const copied = rare.filter(([, [, , isCopied]]) => isCopied).map(([name]) => name);

/** Texts that replace names in double braces. Belongs to this version, and never changes once a release has it. */
const TEMPLATES: Readonly<Record<string, string>> = {
  /** A function whose statements always use indexes, and keep their plans. */
  by_index: `set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan`,
  /** Operations `o` without a lease, except for those behind in their lane. */
  waiting: "o.due_at is not null and o.token is null and not o.behind",
  /** Operations `o` with a lease. */
  leased: "o.due_at is not null and o.token is not null",
  /** Operations `o` that are due at the time `at`. A search begins at the first entry that may be live. */
  due: "o.due_at >= earliest and o.due_at <= at",
  /** Operations `o` that are not overdue. */
  in_time: "(o.start_by is null or o.previous_lost or o.start_by > at)",
  /** How long an operation `o` that fails is kept. */
  kept: "coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms'",
  /** Corrects the beginning of a search after the clock was set back. */
  earliest: `if earliest > at then
        earliest := '-infinity';
      end if;`,
  /** A batch of submissions: see `submissions_v1`. */
  batch: `ids, tenants, definitions, principals, keys, fingerprints, inputs, retentions, failed_retentions,
    metas, extras, tokens, leases`,
  batch_parameters: `ids uuid[], tenants text[], definitions text[], principals text[], keys text[],
  fingerprints text[], inputs text[], retentions float8[], failed_retentions float8[], metas text[],
  extras text[], tokens text[], leases float8[]`,
  /** Columns of a new operation. */
  new_columns: `id, tenant, definition, principal, key, bound, fingerprint, state, attempt, token, due_at, not_before,
      created_at, retention_ms, failed_retention_ms, start_by, input, meta, late, {{rare_columns}}`,
  rare_columns: Object.keys(RARE).join(", "),
  rare_types: rare.map(([name, [type]]) => `${name} ${type}`).join(", "),
  rare_values: rare.map(([, [, value]]) => value).join(", "),
  rare_members: rare.map(([name]) => `'${name}', o.${name}`).join(", "),
  copied_columns: copied.join(", "),
  copied_values: copied.map((name) => `known.${name}`).join(", "),
};

/** The SQL of version 1. Each file uses functions of those before it. */
export const version1: string = expanded(
  [tables, followUps, places, recording, reading, claims, attempts, sweeping, transactions].join("\n"),
);

function expanded(text: string): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (found, name: string) => {
    const template = TEMPLATES[name];
    return template === undefined ? found : expanded(template);
  });
}

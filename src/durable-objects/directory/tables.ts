import { integer, type Row, text, toBoundedCount, toPaused } from "../../backends/shared/row.js";
import type { Statements } from "../../backends/sqlite/connection/statements.js";
import { createActionsTable } from "../../backends/sqlite/records/actions.js";
import { present } from "../../contract/options.js";
import { ACTIONS_KEPT_MS } from "../../ports/actions-store.js";
import type { DefinitionStats } from "../../ports/operation-reads.js";
import { toNameText } from "../object-name.js";
import { randomTenantNumber, tenantNumberOf, toObjectNumber } from "../object-number.js";
import type {
  DirectoryCalls,
  NewestObject,
  ObjectReport,
  ReportedCounts,
  ReportedTenant,
  SharedPause,
  TenantOrder,
} from "./calls.js";

/** The tables of a directory. Like its calls, but at once. */
export type DirectoryTables = {
  readonly [Name in keyof DirectoryCalls]: (
    request: Parameters<DirectoryCalls[Name]>[0],
  ) => Awaited<ReturnType<DirectoryCalls[Name]>>;
};

/** Creates the functions of the tables. */
export function createTables(
  statements: Statements,
  { now, random }: { readonly now: () => number; readonly random: () => number },
): DirectoryTables {
  const { all, first, run } = statements;
  const actions = createActionsTable(statements, now);
  return {
    report: (report) => {
      const shards = first("select shards from arr_objects where tenant = ? limit 1", report.tenant);
      if (shards !== undefined && integer(shards, "shards") !== report.shards)
        return { fixedShards: integer(shards, "shards") };
      return { ...keep(report), pauses: readPauses() };
    },
    leave: ({ name, reports }) => {
      run("delete from arr_objects where name = ? and reports = ?", name, reports);
      const isForgotten = first("select 1 from arr_objects where name = ?", name) === undefined;
      if (isForgotten) run("delete from arr_counts where name = ?", name);
      return isForgotten;
    },
    numbered: ({ number }) => namesIn(all("select name from arr_objects where number = ?", number)),
    ofTenant: ({ tenant }) => namesIn(all("select name from arr_objects where tenant = ?", tenant)),
    newest: ({ failed, after, limit }) => {
      const column = failed ? "newest_failed_at" : "newest_at";
      const { newestAt = Number.MAX_SAFE_INTEGER, name = "" } = after ?? {};
      return all(NEWEST.replaceAll("newest_at", column), newestAt, newestAt, name, limit).map(
        (row): NewestObject => ({ name: text(row, "name"), newestAt: integer(row, column) }),
      );
    },
    stats: ({ definitions }) => definitions.map(statsOf),
    tenants: ({ by, limit }) => all(TENANTS.replace("$by", ORDERS[by]), limit).map(toTenant),
    pause: ({ definition, by }) =>
      run("insert or ignore into arr_pauses values (?, ?, ?)", definition, now(), by ?? null),
    resume: ({ definition }) => run("delete from arr_pauses where definition = ?", definition),
    recordAction: (action) => {
      actions.save({ ...action, at: now() });
      actions.removeBefore(now() - ACTIONS_KEPT_MS, OLD_ACTIONS);
    },
    actions: actions.list,
  };

  function keep(report: ObjectReport): { readonly number: number; readonly reports: number } {
    const name = toNameText(report);
    const known = first("select number, reports from arr_objects where name = ?", name);
    const number =
      report.number ??
      (known === undefined
        ? toObjectNumber(tenantNumber(report.tenant), report.shard)
        : integer(known, "number"));
    const reports = (known === undefined ? 0 : integer(known, "reports")) + 1;
    const { tenant, shards, newestAt = null, newestFailedAt = null } = report;
    const changing = [number, reports, now(), newestAt, newestFailedAt];
    // An update leaves the entries of indexes alone that stay, and each of them is a row that is paid for.
    if (known === undefined) run(INSERT, name, tenant, shards, ...changing);
    else run(UPDATE, ...changing, name);
    replaceCounts(name, report.counts);
    return { number, reports };
  }

  /** Returns the number of a tenant, and a new one if it has none. */
  function tenantNumber(tenant: string): number {
    const row = first("select number from arr_objects where tenant = ? limit 1", tenant);
    if (row !== undefined) return tenantNumberOf(integer(row, "number"));
    for (;;) {
      const drawn = randomTenantNumber(random);
      const [from, to] = [toObjectNumber(drawn, 0), toObjectNumber(drawn + 1, 0)];
      const taken = first("select 1 from arr_objects where number >= ? and number < ? limit 1", from, to);
      if (taken === undefined) return drawn;
    }
  }

  /** Writes only what differs, because each row is paid for. */
  function replaceCounts(name: string, counts: readonly ReportedCounts[]): void {
    const kept = new Map(
      all("select * from arr_counts where name = ?", name).map((row) => [text(row, "definition"), row]),
    );
    for (const counted of counts) {
      const { definition, due, running, scheduled, failed, dueSince = null } = counted;
      const before = kept.get(definition);
      kept.delete(definition);
      if (before !== undefined && isSame(before, counted)) continue;
      if (due + running + scheduled + failed > 0)
        run(
          "insert or replace into arr_counts values (?, ?, ?, ?, ?, ?, ?)",
          ...[definition, name, due, running, scheduled, failed, dueSince],
        );
      else if (before !== undefined) kept.set(definition, before);
    }
    for (const definition of kept.keys())
      run("delete from arr_counts where definition = ? and name = ?", definition, name);
  }

  function readPauses(): readonly SharedPause[] {
    return all("select * from arr_pauses").map((row) => ({
      definition: text(row, "definition"),
      ...present({ by: toPaused(row).paused?.by }),
    }));
  }

  function statsOf(definition: string): DefinitionStats {
    const { due, running, scheduled, failed, dueSince } = toCounts(first(STATS, definition) ?? {});
    return {
      definition,
      due: toBoundedCount(due),
      running: toBoundedCount(running),
      scheduled: toBoundedCount(scheduled),
      failed: toBoundedCount(failed),
      ...present({ oldestDueMs: dueSince === undefined ? undefined : Math.max(0, now() - dueSince) }),
      ...toPaused(first("select * from arr_pauses where definition = ?", definition) ?? {}),
    };
  }
}

/** Old actions that are deleted for each new one. */
const OLD_ACTIONS = 100;

const INSERT = `insert into arr_objects (name, tenant, shards, number, reports, reported_at, newest_at, newest_failed_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE = `update arr_objects set number = ?, reports = ?, reported_at = ?, newest_at = ?, newest_failed_at = ?
  where name = ?`;
const SUMS = `coalesce(sum(due), 0) as due, coalesce(sum(running), 0) as running, coalesce(sum(scheduled), 0) as scheduled,
  coalesce(sum(failed), 0) as failed, min(due_since) as due_since`;
const STATS = `select ${SUMS} from arr_counts where definition = ?`;
const NEWEST = `select name, newest_at from arr_objects
  where newest_at is not null and newest_at <= ? and (newest_at < ? or name > ?) order by newest_at desc, name limit ?`;
const TENANTS = `select tenant, ${SUMS}, min(reported_at) as reported_at
  from arr_counts join arr_objects using (name) group by tenant order by $by, tenant limit ?`;
const ORDERS: Readonly<Record<TenantOrder, string>> = {
  due: "due desc",
  running: "running desc",
  failed: "failed desc",
  // Within an expression, `due_since` would be that of any of the tenant's counts.
  age: "min(due_since) is null, due_since",
};

function namesIn(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => text(row, "name"));
}

function toCounts(row: Row): Omit<ReportedCounts, "definition"> {
  return {
    due: integer(row, "due"),
    running: integer(row, "running"),
    scheduled: integer(row, "scheduled"),
    failed: integer(row, "failed"),
    ...present({ dueSince: row.due_since === null ? undefined : integer(row, "due_since") }),
  };
}

function toTenant(row: Row): ReportedTenant {
  return { tenant: text(row, "tenant"), ...toCounts(row), reportedAt: integer(row, "reported_at") };
}

function isSame(row: Row, { due, running, scheduled, failed, dueSince }: ReportedCounts): boolean {
  const kept = toCounts(row);
  return (
    kept.due === due &&
    kept.running === running &&
    kept.scheduled === scheduled &&
    kept.failed === failed &&
    kept.dueSince === dueSince
  );
}

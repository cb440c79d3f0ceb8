import { integer } from "../shared/row.js";
import type { Statements } from "../sqlite/connection/statements.js";
import type { SqliteTable } from "../sqlite/records/table.js";

/** The contents of the database of an object. */
export interface Contents {
  /**
   * Returns whether it has no operation, nor anything that belongs to one.
   *
   * @param pauses whether pauses of definitions are contents too
   */
  isEmpty(pauses: boolean): boolean;
  /** Returns whether it has tables of the user. */
  hasOthers(): boolean;
  /**
   * Returns when work of these definitions becomes due next, a lease or a deadline ends, or an operation expires. Deadlines and ends
   * of retention can be over. Epoch milliseconds, or infinity.
   */
  nextAt(definitions: readonly string[]): number;
}

const OVERDUE = `select min(start_by) as at from arr_operations indexed by arr_operations_start_by
  where start_by is not null and token is null and previous_lost = 0`;
const EXPIRES =
  "select min(expires_at) as at from arr_operations indexed by arr_operations_expires where expires_at is not null";

/** Creates the questions about the contents of a database. */
export function createContents({ first }: Statements, table: SqliteTable): Contents {
  const earliest = (sql: string): number => {
    const row = first(sql) ?? {};
    return row.at === null ? Number.POSITIVE_INFINITY : integer(row, "at");
  };
  const hasRows = (name: string): boolean => first(`select 1 from ${name} limit 1`) !== undefined;
  const hasTable = (condition: string): boolean =>
    first(`select 1 from sqlite_master where type = 'table' and ${condition} limit 1`) !== undefined;
  return {
    isEmpty: (pauses) =>
      !hasTable("name = 'arr_operations'") ||
      !["arr_operations", "arr_output_discards", ...(pauses ? ["arr_paused"] : [])].some(hasRows),
    hasOthers: () => hasTable("name not glob 'arr_*' and name not glob '_cf_*' and name not glob 'sqlite_*'"),
    nextAt: (definitions) => {
      const now = table.now();
      const due = definitions.map((definition) =>
        table.nextDueAt({ definition, now, creates: true, suspects: true }),
      );
      const known = due.filter((at) => at !== undefined);
      return Math.min(...known, earliest(OVERDUE), earliest(EXPIRES));
    },
  };
}

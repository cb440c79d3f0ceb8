import { integer, text } from "../../shared/row.js";
import type { Changed } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";

/** Number of transactions whose changes are kept. Watchers that come later look at all operations that they follow. */
const KEPT = 1_000;
const ADDED_PER_CLEANUP = 100;

/** Logs: of changed operations, and of those whose output has grown. */
export type Log = "arr_changes" | "arr_output_changes";

/** Creates a function that logs the operations that a transaction changed. It runs within the transaction. */
export function createChangeLog({ run }: Statements, changed: Changed): () => void {
  const addedTo: Record<Log, number> = { arr_changes: 0, arr_output_changes: 0 };

  function added(log: Log): void {
    addedTo[log] += 1;
    if (addedTo[log] % ADDED_PER_CLEANUP === 0)
      run(`delete from ${log} where seq <= (select max(seq) from ${log}) - ?`, KEPT);
  }

  return () => {
    const { cancelled, appended } = changed;
    if (changed.changed.size > 0 || cancelled.size > 0) {
      const values = [cancelled.size === 0 ? null : [...cancelled].join(" "), [...changed.changed].join(" ")];
      run("insert into arr_changes (cancellations, ids) values (?, ?)", ...values);
      added("arr_changes");
    }
    if (appended.size > 0) {
      run("insert into arr_output_changes (ids) values (?)", [...appended].join(" "));
      added("arr_output_changes");
    }
  };
}

/** Returns the number of the newest transaction in a log, or 0. */
export function newestIn(log: Log, { first }: Statements): number {
  return integer(first(`select coalesce(max(seq), 0) as newest from ${log}`) ?? {}, "newest");
}

/** Returns the operations that later transactions logged, or undefined if some of them are not in the log anymore. */
export function loggedAfter(log: Log, { all }: Statements, seq: number): readonly string[] | undefined {
  const rows = all(`select seq, ids from ${log} where seq > ? order by seq`, seq);
  const [oldest] = rows;
  if (oldest !== undefined && integer(oldest, "seq") > seq + 1) return undefined;
  return rows.flatMap((row) => text(row, "ids").split(" "));
}

/** Returns the operations whose cancellation later transactions requested, as far as they are in the log. */
export function cancellationsAfter({ all }: Statements, seq: number): readonly string[] {
  const rows = all("select cancellations from arr_changes where seq > ? and cancellations is not null", seq);
  return rows.flatMap((row) => text(row, "cancellations").split(" "));
}

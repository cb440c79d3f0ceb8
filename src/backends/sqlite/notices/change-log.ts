import { integer, text } from "../../shared/row.js";
import type { Changed } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";

/** Number of transactions whose changes are kept. Watchers that come later look at all operations that they follow. */
const KEPT = 1_000;
const ADDED_PER_CLEANUP = 100;

/** Creates a function that logs the operations that a transaction changed. It runs within the transaction. */
export function createChangeLog({ run }: Statements, { changed, cancelled }: Changed): () => void {
  let added = 0;
  return () => {
    if (changed.size === 0 && cancelled.size === 0) return;
    const values = [cancelled.size === 0 ? null : [...cancelled].join(" "), [...changed].join(" ")];
    run("insert into arr_changes (cancellations, ids) values (?, ?)", ...values);
    added += 1;
    if (added % ADDED_PER_CLEANUP === 0)
      run("delete from arr_changes where seq <= (select max(seq) from arr_changes) - ?", KEPT);
  };
}

/** Returns the number of the newest transaction in the log, or 0. */
export function newestChange({ first }: Statements): number {
  return integer(first("select coalesce(max(seq), 0) as newest from arr_changes") ?? {}, "newest");
}

/** Returns the operations that later transactions changed, or undefined if some of them are not in the log anymore. */
export function changesAfter({ all }: Statements, seq: number): readonly string[] | undefined {
  const rows = all("select seq, ids from arr_changes where seq > ? order by seq", seq);
  const [oldest] = rows;
  if (oldest !== undefined && integer(oldest, "seq") > seq + 1) return undefined;
  return rows.flatMap((row) => text(row, "ids").split(" "));
}

/** Returns the operations whose cancellation later transactions requested, as far as they are in the log. */
export function cancellationsAfter({ all }: Statements, seq: number): readonly string[] {
  const rows = all("select cancellations from arr_changes where seq > ? and cancellations is not null", seq);
  return rows.flatMap((row) => text(row, "cancellations").split(" "));
}

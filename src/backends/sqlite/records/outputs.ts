import type { OutputHead, OutputTable } from "../../../engine/output.js";
import { chunksText, segmentsText, toHead, toRun } from "../../shared/output-row.js";
import { integer, state, text } from "../../shared/row.js";
import type { Changed } from "../connection/connection.js";
import type { Statements } from "../connection/statements.js";
import triggers from "../schema/output-triggers.sql";

const SAVE = `insert into arr_output_heads (operation_id, epoch, count, bytes, segments, checkpoint, checkpoint_number,
    checkpoint_attempt, checkpoint_at, checkpoint_count, checkpoint_bytes) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (operation_id) do update set count = excluded.count, bytes = excluded.bytes, segments = excluded.segments,
    checkpoint = excluded.checkpoint, checkpoint_number = excluded.checkpoint_number,
    checkpoint_attempt = excluded.checkpoint_attempt, checkpoint_at = excluded.checkpoint_at,
    checkpoint_count = excluded.checkpoint_count, checkpoint_bytes = excluded.checkpoint_bytes`;
/** The first chunk that a reader wants may be within a row. Rows after it are read until they are long enough. */
const RUNS = `select epoch, first, chunks from arr_output_chunks
  where operation_id = ? and epoch = ? and first < ? and first >= coalesce((select max(first) from arr_output_chunks
    where operation_id = ? and epoch = ? and first <= ?), 0) order by first limit ?`;
/** Rows that a query returns. */
const AT_ONCE = 64;

/** Creates the outputs of a database. Every method runs within a transaction. */
export function createOutputTable(
  { exec, run, first, all }: Statements,
  now: () => number,
  { appended }: Changed,
): OutputTable {
  /** Marks an operation that gets its first output. */
  function open(id: string): void {
    exec(triggers);
    run("update arr_operations set has_output = 1 where id = ?", id);
  }

  return {
    now,
    attemptOf: (id) => {
      const row = first(
        "select token, attempt from arr_operations where id = ? and token is not null and settled_at is null",
        id,
      );
      return row && { token: text(row, "token"), attempt: integer(row, "attempt") };
    },
    stateOf: (id) => {
      const row = first("select state from arr_operations where id = ?", id);
      return row && state(row);
    },
    head: (id) => {
      const row = first("select * from arr_output_heads where operation_id = ?", id);
      return row && toHead(row);
    },
    save: (id, head) => {
      if (first("select 1 from arr_operations where id = ? and has_output = 0", id) !== undefined) open(id);
      run(SAVE, id, ...headValues(head));
    },
    insert: (id, { epoch, first: from, chunks }) =>
      run(
        "insert into arr_output_chunks (operation_id, epoch, first, count, chunks) values (?, ?, ?, ?, ?)",
        ...[id, epoch, from, chunks.length, chunksText(chunks)],
      ),
    runs: (id, { epoch, from, end }, maxLength) => {
      const runs: ReturnType<typeof toRun>[] = [];
      let left = maxLength;
      for (let next = from; next < end && left > 0; ) {
        const rows = all(RUNS, id, epoch, end, id, epoch, next, AT_ONCE);
        for (const row of rows) {
          if (left <= 0) break;
          const found = toRun(row);
          runs.push(found);
          left -= text(row, "chunks").length;
          next = found.first + found.chunks.length;
        }
        if (rows.length < AT_ONCE) break;
      }
      return runs;
    },
    appended: (id) => void appended.add(id),
  };
}

function headValues({ epoch, count, bytes, segments, checkpoint }: OutputHead): (string | number | null)[] {
  const saved = checkpoint ?? { value: null, number: 0, attempt: null, at: null, count: 0, bytes: 0 };
  const { value, number, attempt, at, count: kept, bytes: keptBytes } = saved;
  return [epoch, count, bytes, segmentsText(segments), value, number, attempt, at, kept, keptBytes];
}

/** Deletes chunks that do not stand any more. Returns how many rows it deleted. */
export function deleteDiscarded({ run, first, all }: Statements, limit: number): number {
  let deleted = 0;
  while (deleted < limit) {
    const discard = first("select * from arr_output_discards order by seq limit 1");
    if (discard === undefined) return deleted;
    const {
      operation_id: id,
      epoch,
      first: from,
      every_epoch: every,
    } = discard as Record<string, string | number>;
    const rows = all(
      `select rowid as row from arr_output_chunks
       where operation_id = ? and (epoch = ? or ? = 1) and first >= ? order by epoch, first limit ?`,
      ...[id ?? "", epoch ?? 0, every ?? 0, from ?? 0, limit - deleted],
    );
    for (const row of rows) run("delete from arr_output_chunks where rowid = ?", integer(row, "row"));
    deleted += rows.length;
    if (deleted < limit) run("delete from arr_output_discards where seq = ?", integer(discard, "seq"));
  }
  return deleted;
}

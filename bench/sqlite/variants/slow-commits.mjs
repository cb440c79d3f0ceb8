/** Wraps a database so that each commit takes longer, as on a disk that is slow to sync. */
export function withSlowCommits(database, commitMs) {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const slow = (sql, run) => {
    const result = run();
    if (/^\s*commit\b/i.test(sql)) Atomics.wait(cell, 0, 0, commitMs);
    return result;
  };
  return {
    exec: (sql) => slow(sql, () => database.exec(sql)),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => slow(sql, () => statement.run(...values)),
        all: (...values) => statement.all(...values),
      };
    },
  };
}

import type { SqliteDatabase, SqliteStatement } from "async-request-reply/sqlite";

/**
 * Returns a database that uses several connections to one file in turn: one for each transaction, and one for each
 * statement outside of transactions.
 */
export function inTurn(connections: readonly SqliteDatabase[]): SqliteDatabase {
  let turn = 0;
  let isOpen = false;
  const current = () => turn % connections.length;

  function prepare(sql: string): SqliteStatement {
    const prepared = new Map<number, SqliteStatement>();
    const statement = (): SqliteStatement => {
      if (!isOpen) turn += 1;
      const own = prepared.get(current()) ?? (connections[current()] as SqliteDatabase).prepare(sql);
      prepared.set(current(), own);
      return own;
    };
    return {
      run: (...values) => {
        const own = statement();
        const result = own.run(...values);
        if (sql === "commit" || sql === "rollback") isOpen = false;
        return result;
      },
      all: (...values) => statement().all(...values),
    };
  }

  return {
    prepare,
    exec: (sql) => {
      if (!isOpen) turn += 1;
      connections[current()]?.exec(sql);
      if (sql.startsWith("begin")) isOpen = true;
      if (sql === "commit") isOpen = false;
    },
  };
}

/** The storage of a Durable Object with SQLite: `ctx.storage`. */
export interface ObjectStorage {
  /** Runs SQL in the object's database. */
  readonly sql: ObjectSql;
  /** Runs steps in a transaction, which can be within another one. Rolls it back if they throw. */
  transactionSync<Result>(steps: () => Result): Result;
}

/** The database of a Durable Object: `ctx.storage.sql`. */
export interface ObjectSql {
  /** Runs statements. The parameters belong to the last one. */
  exec(query: string, ...parameters: (string | number | null)[]): ObjectRows;
}

/** The rows of a statement. */
export interface ObjectRows {
  /** Returns the rows that are left, as objects. */
  toArray(): unknown[];
}

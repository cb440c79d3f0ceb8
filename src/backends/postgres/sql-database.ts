/** A statement with its parameters. Statements of one name have one text, so that a connection prepares each once. */
export interface SqlStatement {
  /** Left out for statements that are run once. */
  readonly name?: string;
  /** With `$1`, `$2` … for the values. */
  readonly text: string;
  /** Without them the text may hold several statements. */
  readonly values?: unknown[];
}

/** What a statement returns. */
export interface SqlResult {
  /** By column. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A connection of a pool: `PoolClient` of `pg` is one. */
export interface SqlClient {
  /** Runs a statement on this connection. */
  query(statement: SqlStatement): Promise<SqlResult>;
  /** Gives the connection back to its pool, or with `true` has the pool end it. */
  release(destroy?: boolean): void;
}

/** A pool of connections: `Pool` of `pg` is one. What is opened by the caller is closed by the caller. */
export interface SqlPool<Client extends SqlClient> {
  /** Runs a statement on any connection. */
  query(statement: SqlStatement): Promise<SqlResult>;
  /** Takes a connection out of the pool. */
  connect(): Promise<Client>;
  /** How `pg` declares the same with a callback; never called. */
  connect(callback: (error: never, client: never, done: never) => void): unknown;
}

/** Runs a statement, in a transaction or by itself. */
export type RunStatement = (statement: SqlStatement) => Promise<SqlResult>;

/** A database as the back end uses it. {@link SqlPool} is made one; what is no pool can be one itself. */
export interface SqlDatabase<Tx> {
  /** Runs a statement by itself. */
  readonly query: RunStatement;
  /** Runs a function in one transaction, which is rolled back when it throws. */
  transaction<Result>(run: (tx: Tx, query: RunStatement) => Promise<Result>): Promise<Result>;
  /**
   * Calls `onMessage` with what is sent to the channel until the returned function is called. `onLost` says that nothing more
   * will come.
   */
  listen?(
    channel: string,
    onMessage: (payload: string) => void,
    onLost: (error?: unknown) => void,
  ): Promise<() => Promise<void>>;
}

/**
 * Statement with its parameters. Statements with the same name have the same text, so a connection can prepare each
 * once.
 */
export interface SqlStatement {
  /** Name for a prepared statement. Absent for statements that are not worth preparing. */
  readonly name?: string;
  /** SQL with `$1`, `$2` and so on for the values. */
  readonly text: string;
  /** Values of the parameters. If absent, `text` can hold several statements. */
  readonly values?: unknown[];
}

/** Result of a statement. */
export interface SqlResult {
  /** Rows, as objects with a member for each column. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Connection taken from a pool, such as a `PoolClient` of `pg`. */
export interface SqlClient {
  /** Runs a statement on this connection. */
  query(statement: SqlStatement): Promise<SqlResult>;
  /** Returns the connection to its pool. With `true`, the pool closes it instead. */
  release(destroy?: boolean): void;
}

/** Pool of connections, such as a `Pool` of `pg`. The back end never closes it. */
export interface SqlPool<Client extends SqlClient> {
  /** Takes a connection from the pool. Calls `callback` synchronously when the pool hands it out. */
  connect(callback: (error: Error | undefined, client: Client | undefined) => void): void;
}

/**
 * Runs a statement, inside or outside of a transaction.
 *
 * @param onSend called right before the statement is sent. If it throws, the statement is not sent. See
 * {@link SqlDatabase.tellsSending}.
 */
export type RunStatement = (statement: SqlStatement, onSend?: () => void) => Promise<SqlResult>;

/** Access to a database. Implement it for a client that is not a pool like that of `pg`: see {@link SqlPool}. */
export interface SqlDatabase<Tx> {
  /** Runs a statement outside of any transaction. */
  readonly query: RunStatement;
  /** Whether `query` calls `onSend`. If it does not, every failed statement counts as sent. Default: false. */
  readonly tellsSending?: boolean;
  /**
   * Runs a function in a transaction. If the function throws, rolls back and rethrows its error.
   *
   * If `signal` is aborted, rolls back and rejects with its reason without waiting for the function. The function can
   * still be running then, so its `tx` must no longer work.
   */
  transaction<Result>(run: (tx: Tx) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Returns a function that runs statements in an open transaction. */
  queryIn(tx: Tx): RunStatement;
  /**
   * Opens a connection for notifications. Calls `onMessage` for each notification, and `onLost` once if the connection
   * is lost. Without this method, workers find work of other processes by polling.
   */
  listen?(onMessage: (channel: string, message: string) => void, onLost: () => void): Promise<SqlListener>;
}

/** Connection that listens to channels of `NOTIFY`. */
export interface SqlListener {
  /** Listens to one more channel. Has no effect if it already listens to it. Rejects if the connection is lost. */
  listen(channel: string): Promise<void>;
  /** Stops listening and releases the connection. */
  end(): Promise<void>;
}

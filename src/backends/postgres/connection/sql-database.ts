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
  /** Takes a connection out of the pool, and calls back in the same turn in which the pool lets go of it. */
  connect(callback: (error: Error | undefined, client: Client | undefined) => void): void;
}

/**
 * Runs a statement, in a transaction or by itself.
 *
 * @param onSend called right before the statement is sent. If it throws, the statement is not sent. See `tellsSending`.
 */
export type RunStatement = (statement: SqlStatement, onSend?: () => void) => Promise<SqlResult>;

/** A database as the back end uses it. {@link SqlPool} is made one; what is no pool can be one itself. */
export interface SqlDatabase<Tx> {
  /** Runs a statement by itself. */
  readonly query: RunStatement;
  /** Whether `query` calls `onSend`. Default: false, so every statement counts as sent. */
  readonly tellsSending?: boolean;
  /**
   * Runs a function in one transaction, which is rolled back when it throws. When `signal` is aborted while it runs it is
   * rolled back without waiting for the function, which may go on: its `tx` must be of no use then.
   */
  transaction<Result>(run: (tx: Tx) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Runs statements in a transaction that is open. */
  queryIn(tx: Tx): RunStatement;
  /** Opens what listens. `onLost` says that nothing more will come. */
  listen?(onMessage: (channel: string, message: string) => void, onLost: () => void): Promise<SqlListener>;
}

/** Listens to channels of `NOTIFY`. */
export interface SqlListener {
  /** Listens to one more channel. Repeated it changes nothing, and is rejected when the way to the database is lost. */
  listen(channel: string): Promise<void>;
  /** Hears no more. */
  end(): Promise<void>;
}

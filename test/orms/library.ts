import type * as bridges from "async-request-reply/postgres";
import type { SqlClient, SqlPool, SqlTransactions } from "async-request-reply/postgres";

/** Functions such as `fromDrizzle`. A module of a library cannot import them, because it has its own package.json. */
type Bridges = typeof bridges;

/** An ORM or query builder, as the suite uses it. Its module is JavaScript, so that processes can load it. */
export interface OrmLibrary<Tx = unknown> {
  readonly name: string;
  /** Connects to a database. */
  open(url: string, bridges: Bridges): Promise<OpenLibrary<Tx>>;
}

/** Connections of a library, and what a team does with them. Statements go through the library's own interface. */
export interface OpenLibrary<Tx = unknown> {
  readonly pool: SqlPool<SqlClient>;
  readonly transactions: SqlTransactions<Tx>;
  /** The database object of the library, which is no transaction. */
  readonly db: unknown;
  /** Runs a function in a transaction of the library, which throws if the function does. */
  begin<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Runs a function in a transaction within a transaction. Absent if the library has none. */
  nest?<Result>(tx: Tx, run: (nested: Tx) => Promise<Result>): Promise<Result>;
  /** Whether the library knows that a nested transaction has ended while the one around it is open. Default: false. */
  readonly knowsEndedNests?: boolean;
  /** Runs a statement without parameters. */
  run(tx: Tx, text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Why the process does not survive a lost connection of a transaction, if the library has this defect. */
  readonly defect?: string;
  close(): Promise<void>;
}

import { createCalls, type FunctionName } from "./functions.js";
import type { Row } from "./row.js";
import type { SqlDatabase } from "./sql-database.js";
import { isConflict, isConnectionError, isRowError, toStoreError } from "./store-error.js";

/** How a call may be repeated. */
interface CallOptions {
  /** Repeated after a lost answer it does the same, so that it is repeated here. */
  readonly repeatable?: boolean;
  /** Errors of rows come as they are, for a caller who can take the batch apart. */
  readonly rowErrors?: boolean;
}

/** Calls the functions of the schema. Conflicts are tried again; errors are told as the ports tell them. */
export interface Gateway<Tx> {
  /** Calls a function by itself. */
  call(name: FunctionName, values: unknown[], options?: CallOptions): Promise<readonly Row[]>;
  /** Runs a function of the caller in a transaction; `call` calls the schema's functions in it. Never repeated. */
  transaction<Result>(run: (tx: Tx, call: CallInTransaction) => Promise<Result>): Promise<Result>;
}

/** Calls a function of the schema within a transaction. */
export type CallInTransaction = (name: FunctionName, values: unknown[]) => Promise<readonly Row[]>;

/** What {@link createGateway} takes. */
export interface GatewayOptions<Tx> {
  readonly database: SqlDatabase<Tx>;
  /** Quoted. */
  readonly schema: string;
  /** Resolves when the schema may be used. */
  readonly ready: () => Promise<void>;
}

const MAX_TRIES = 5;
const MAX_RECONNECTS = 2;
const PAUSE_MS = 20;

/** Makes the one way to the database. */
export function createGateway<Tx>({ database, schema, ready }: GatewayOptions<Tx>): Gateway<Tx> {
  const callOf = createCalls(schema);

  async function tried(run: () => Promise<readonly Row[]>, repeatable: boolean): Promise<readonly Row[]> {
    let reconnects = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        return await run();
      } catch (error) {
        const again =
          isConflict(error) || (repeatable && isConnectionError(error) && reconnects++ < MAX_RECONNECTS);
        if (!again || tries === MAX_TRIES) throw error;
        await pause(PAUSE_MS * 2 ** tries * Math.random());
      }
    }
  }

  return {
    call: async (name, values, { repeatable = false, rowErrors = false } = {}) => {
      try {
        await ready();
        return await tried(async () => (await database.query(callOf(name, values))).rows, repeatable);
      } catch (error) {
        throw rowErrors && isRowError(error) ? error : toStoreError(error);
      }
    },
    transaction: async (run) => {
      let thrown: unknown;
      try {
        await ready();
        return await database.transaction(async (tx, query) => {
          const call: CallInTransaction = async (name, values) => (await query(callOf(name, values))).rows;
          return run(tx, async (name, values) => call(name, values).catch(told)).catch((error: unknown) => {
            thrown = error;
            throw error;
          });
        });
      } catch (error) {
        // What the caller's own function throws is the caller's, whatever it is.
        throw error === thrown ? error : toStoreError(error);
      }
    },
  };
}

function told(error: unknown): never {
  throw isRowError(error) ? error : toStoreError(error);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

import { isAsyncReplyError } from "../../core/errors.js";
import { createCalls, type FunctionName } from "./functions.js";
import type { Row } from "./row.js";
import type { RunStatement, SqlDatabase } from "./sql-database.js";
import { isConflict, isConnectionError, isRowError, toStoreError } from "./store-error.js";
import { createTimeLimit } from "./time-limit.js";

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
  /** Runs a function of the caller in a transaction: see {@link SqlDatabase.transaction}. Never repeated. */
  transaction<Result>(run: (tx: Tx) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Calls a function in a transaction that is open, that of the caller or one of `transaction`. */
  callIn(tx: Tx, name: FunctionName, values: unknown[]): Promise<readonly Row[]>;
}

/** What {@link createGateway} takes. */
export interface GatewayOptions<Tx> {
  readonly database: SqlDatabase<Tx>;
  /** Quoted. */
  readonly schema: string;
  /** Resolves when the schema may be used. */
  readonly ready: () => Promise<void>;
  /** The same within a transaction of the caller; resolves to whether it is so for good. */
  readonly readyIn: (query: RunStatement) => Promise<boolean>;
  /** How long a call takes at most, with all its repetitions. */
  readonly timeoutMs: number;
}

const MAX_TRIES = 5;
const MAX_RECONNECTS = 2;
const PAUSE_MS = 20;

/** Makes the one way to the database. */
export function createGateway<Tx>(options: GatewayOptions<Tx>): Gateway<Tx> {
  const { database, schema, readyIn } = options;
  const within = createTimeLimit(options.timeoutMs);
  const callOf = createCalls(schema);
  let isReady = false;
  const ready = async (): Promise<void> => {
    if (isReady) return;
    await options.ready();
    isReady = true;
  };

  async function tried(run: () => Promise<readonly Row[]>, repeatable: boolean): Promise<readonly Row[]> {
    let reconnects = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        return await run();
      } catch (error) {
        // Whoever waited for what did not answer waits no more.
        if (isAsyncReplyError(error)) throw error;
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
        return await within(
          tried(async () => {
            await ready();
            return (await database.query(callOf(name, values))).rows;
          }, repeatable),
        );
      } catch (error) {
        throw rowErrors && isRowError(error) ? error : toStoreError(error);
      }
    },
    callIn: async (tx, name, values) => {
      try {
        const query = database.queryIn(tx);
        isReady ||= await readyIn(query);
        return (await query(callOf(name, values))).rows;
      } catch (error) {
        throw toStoreError(error);
      }
    },
    transaction: async (run, signal) => {
      let thrown: unknown;
      const told = async (tx: Tx): Promise<Awaited<ReturnType<typeof run>>> => {
        try {
          return await run(tx);
        } catch (error) {
          thrown = error;
          throw error;
        }
      };
      try {
        await within(ready());
        return await database.transaction(told, signal);
      } catch (error) {
        // What the caller's own function throws is the caller's, whatever it is, and so is the reason of its signal.
        throw error === thrown || error === signal?.reason ? error : toStoreError(error);
      }
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

import type { Driver } from "../../engine/driver.js";
import type { OutputTable } from "../../engine/output.js";
import { createOutputStore } from "../../engine/output-store.js";
import type { OutputStore } from "../../ports/output-store.js";
import type { Connection } from "./connection/connection.js";
import type { Statements } from "./connection/statements.js";
import type { Changes } from "./notices/changes.js";
import { deleteDiscarded } from "./records/outputs.js";

/** Options of {@link createSqliteOutput}. */
export interface SqliteOutputOptions {
  readonly connection: Connection;
  readonly statements: Statements;
  readonly outputs: OutputTable;
  readonly changes: Changes;
}

/** Number of rows that a transaction deletes, so that it does not block the event loop for long. */
const DELETED_AT_ONCE = 100;

/** Creates the output store. Concurrent calls share a commit. */
export function createSqliteOutput(options: SqliteOutputOptions): OutputStore {
  const { connection, statements, outputs, changes } = options;
  const driver = {
    ...connection,
    // Several statements must see the same state of the file.
    read: <Result>(job: () => Result): Promise<Result> =>
      connection.read(() => {
        statements.exec("begin");
        try {
          return job();
        } finally {
          statements.exec("commit");
        }
      }),
  };
  return {
    ...createOutputStore(driver, outputs),
    watch: changes.watchOutput,
    clean: createOutputCleaning(connection, statements),
  };
}

/** Creates the method that deletes discarded chunks, some in each transaction. */
export function createOutputCleaning(driver: Driver, statements: Statements): OutputStore["clean"] {
  return async ({ limit }) => {
    if (!(await driver.read(() => hasDiscards(statements)))) return 0;
    let deleted = 0;
    for (let more = true; more && deleted < limit; ) {
      const share = Math.min(DELETED_AT_ONCE, limit - deleted);
      const job = (): number => deleteDiscarded(statements, share);
      const count = await driver.write("work", job, { canBeLost: true });
      deleted += count;
      more = count === share;
    }
    return deleted;
  };
}

function hasDiscards({ first }: Statements): boolean {
  return first("select 1 from arr_output_discards limit 1") !== undefined;
}

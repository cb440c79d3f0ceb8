import { afterEach, beforeEach } from "vitest";
import { describeClients, type SqliteClient } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";
import { createTransactionStage, type TransactionStage } from "../../support/sqlite/transaction-stage.js";

/** Creates a fixture for each test. The result stands for that of the running test. */
function perTest<Fixture extends object>(create: () => Fixture, remove: (fixture: Fixture) => Promise<void>) {
  let fixture: Fixture;
  beforeEach(() => {
    fixture = create();
  });
  afterEach(() => remove(fixture));
  return new Proxy({} as Fixture, { get: (_, name) => Reflect.get(fixture, name) });
}

/** Declares tests for each client, and gives each of them an empty folder for a database file. */
export function describeFile(
  title: string,
  declare: (file: DatabaseFile, client: SqliteClient) => void,
  played?: readonly string[],
): void {
  const inFolder = (client: SqliteClient) =>
    declare(
      perTest(
        () => newDatabaseFile(client),
        (file) => file.remove(),
      ),
      client,
    );
  describeClients(title, inFolder, played);
}

/** Declares tests for each client, and gives each of them an order service on a new file. */
export function describeStage(
  title: string,
  options: Parameters<typeof createTransactionStage>[1],
  declare: (stage: TransactionStage, client: SqliteClient) => void,
): void {
  describeClients(title, (client) => {
    const stage = perTest(
      () => createTransactionStage(client, options),
      async ({ backend, file }) => {
        await backend.close();
        await file.remove();
      },
    );
    declare(stage, client);
  });
}

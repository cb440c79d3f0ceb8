import { afterEach } from "vitest";
import { storeCases } from "../../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../../support/adapter-suite/declare-cases.js";
import { createNodeHarness } from "../../support/node-harness.js";
import { describeClients, type SqliteClient } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";

function declareCases(client: SqliteClient) {
  const files: DatabaseFile[] = [];
  const harness = createNodeHarness(() => {
    const file = newDatabaseFile(client);
    files.push(file);
    return file.open();
  });
  afterEach(async () => {
    await harness.close();
    for (const file of files.splice(0)) await file.remove();
  });
  declareAdapterCases(harness, storeCases);
}

// One client is enough, and keeps `npm test` short: the replies do not depend on the client.
describeClients("the Node adapter with operations in an SQLite file", declareCases, ["libsql"]);

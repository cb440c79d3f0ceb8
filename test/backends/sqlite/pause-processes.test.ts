import { afterEach, beforeEach } from "vitest";
import { declarePauseOfProcesses } from "../../support/pause-processes.js";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";

describeClients("a pause on an SQLite file", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declarePauseOfProcesses(() => file.open());
});

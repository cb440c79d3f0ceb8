import { afterEach, beforeEach } from "vitest";
import { declareRunUntilIdle } from "../../support/run-until-idle.js";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";

describeClients("runUntilIdle on an SQLite file", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declareRunUntilIdle(() => file.open());
});

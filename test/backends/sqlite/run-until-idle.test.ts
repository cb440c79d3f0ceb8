import { afterEach, beforeEach } from "vitest";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";
import { declareRunUntilIdle } from "../../worker/run-until-idle.js";

describeClients("runUntilIdle on an SQLite file", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declareRunUntilIdle(() => file.open());
});

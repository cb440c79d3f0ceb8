import { afterEach, beforeEach } from "vitest";
import { declareRunUntilIdle } from "../../worker/run-until-idle.js";
import { describeClients } from "./clients.js";
import { type DatabaseFile, newDatabaseFile } from "./database-files.js";

describeClients("runUntilIdle on an SQLite file", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declareRunUntilIdle(() => file.open());
});

import { afterEach, beforeEach } from "vitest";
import { declareErrorTexts } from "../../support/error-texts.js";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";

describeClients("an error of a processor, on an SQLite file", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declareErrorTexts(() => file.open());
});

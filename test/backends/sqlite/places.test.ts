import { afterEach, beforeEach } from "vitest";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";
import { declarePlaces } from "../../worker/places.js";

describeClients("work that waits for a place, on SQLite", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declarePlaces(() => file.open({ pollIntervalMs: 60_000 }));
});

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

  const options = { pollIntervalMs: 60_000 };
  declarePlaces((clock) => file.open(clock ? { ...options, runtime: { clock } } : options), {
    anyClock: true,
  });
});

import { createManualClock } from "async-request-reply/testing";
import { afterEach, beforeEach } from "vitest";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";
import { declareDeadlines } from "../../worker/deadlines.js";

describeClients("work with a deadline, on SQLite", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declareDeadlines(() => {
    const clock = createManualClock();
    return { backend: file.open({ runtime: { clock } }), pass: (ms) => clock.advance(ms) };
  });
});

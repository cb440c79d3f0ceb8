import { afterEach, beforeEach } from "vitest";
import { groupingScenarios } from "../../support/operator/grouping.js";
import { pausingScenarios } from "../../support/operator/pausing.js";
import { declareScenarios } from "../../support/operator/scenarios.js";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";

describeClients("an operator on an SQLite file", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declareScenarios("groups failures", groupingScenarios, () => file.open());
  // A worker that polls would notice the end of a pause without being woken up.
  declareScenarios("pauses", pausingScenarios, () => file.open({ pollIntervalMs: 60_000 }));
});

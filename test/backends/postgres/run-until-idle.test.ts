import { afterEach } from "vitest";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { declareRunUntilIdle } from "../../support/run-until-idle.js";

await describePostgres("runUntilIdle", (server) => {
  const opened: Opened[] = [];
  afterEach(async () => {
    for (const backend of opened.splice(0)) await backend.close();
  });

  declareRunUntilIdle(async () => {
    const backend = server.open();
    opened.push(backend);
    await backend.migrate();
    return backend;
  });
});

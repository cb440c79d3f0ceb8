import { afterEach } from "vitest";
import { declareRunUntilIdle } from "../../worker/run-until-idle.js";
import { describePostgres, type Opened } from "./server.js";

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

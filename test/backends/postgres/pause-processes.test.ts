import { beforeEach } from "vitest";
import { declarePauseOfProcesses } from "../../support/pause-processes.js";
import { describePostgres } from "../../support/postgres/server.js";

await describePostgres("a pause on Postgres", (server) => {
  let schema: string;
  beforeEach(() => {
    schema = server.newSchema();
  });

  // A worker that polls would notice the end of a pause without being woken up.
  declarePauseOfProcesses(() => server.open({ schema, pollIntervalMs: 600_000 }));
});

import { describePostgres } from "../../support/postgres/server.js";
import { declarePlaces } from "../../worker/places.js";
import { openMigrated } from "./submissions.js";

await describePostgres("work that waits for a place, on Postgres", (server) => {
  declarePlaces(() => openMigrated(server, { pollIntervalMs: 60_000 }));
});

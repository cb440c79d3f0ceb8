import { describePostgres } from "../../support/postgres/server.js";
import { declarePlaces } from "../../worker/places.js";

await describePostgres("work that waits for a place, on Postgres", (server) => {
  declarePlaces(async () => {
    const backend = server.open({ pollIntervalMs: 60_000 });
    await backend.migrate();
    return backend;
  });
});

import { describePostgres } from "../../support/postgres/server.js";
import { declareDeadlines } from "../../worker/deadlines.js";
import { stopTime } from "./manual-time.js";

await describePostgres("work with a deadline, on Postgres", (server) => {
  declareDeadlines(async () => {
    const backend = server.open();
    await backend.migrate();
    const time = await stopTime((text) => server.pool.query(text), backend.schema);
    return { backend, pass: (ms) => time.advance(ms) };
  });
});

import { describePostgres } from "../../support/postgres/server.js";
import { declareDeadlines } from "../../worker/deadlines.js";

await describePostgres("work with a deadline, on Postgres", (server) => {
  declareDeadlines(async () => {
    const { time, ...backend } = await server.openStopped();
    return { backend, pass: time.advance };
  });
});

import type { Fresh } from "./harnesses.js";
import { runPortSuites } from "./run-port-suites.js";
import { describePostgres } from "./server.js";

await describePostgres("the back end on a Postgres server", (server) => {
  const open = async (): Promise<Fresh> => {
    const backend = server.open();
    await backend.migrate();
    return { backend, schema: backend.schema, execute: (text) => server.pool.query(text) };
  };
  runPortSuites(open);
});

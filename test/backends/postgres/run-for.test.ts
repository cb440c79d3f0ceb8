import { afterEach } from "vitest";
import { effort } from "../../support/effort.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { declareRunFor } from "../../support/run-for.js";

await describePostgres("runFor", (server) => {
  const opened: Opened[] = [];
  afterEach(async () => {
    for (const backend of opened.splice(0)) await backend.close();
  });

  declareRunFor(
    async () => {
      const backend = server.open();
      opened.push(backend);
      await backend.migrate();
      return backend;
    },
    { cuts: effort(100, 100, 1_000) },
  );
});

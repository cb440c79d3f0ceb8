import type { Backend } from "async-request-reply";
import { afterEach } from "vitest";
import { storeCases } from "../../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../../support/adapter-suite/declare-cases.js";
import { createNodeHarness } from "../../support/node-harness.js";
import { describePostgres } from "../../support/postgres/server.js";

await describePostgres("the Node adapter with operations in Postgres", (server) => {
  const opened: Backend[] = [];
  const harness = createNodeHarness(() => {
    const backend = server.open();
    opened.push(backend);
    return backend;
  });
  afterEach(async () => {
    await harness.close();
    for (const backend of opened.splice(0)) await backend.close();
  });
  declareAdapterCases(harness, storeCases);
});

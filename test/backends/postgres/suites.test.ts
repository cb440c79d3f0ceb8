import {
  idempotencyStoreCases,
  operationStoreCases,
  queueCases,
  submissionsCases,
} from "async-request-reply/testing";
import { runSuite } from "../run-suite.js";
import { type Fresh, harnessOf, queueHarness } from "./harnesses.js";
import { describePostgres } from "./server.js";

await describePostgres("the back end on a Postgres server", (server) => {
  const open = async (): Promise<Fresh> => {
    const backend = server.open();
    await backend.migrate();
    return { backend, schema: backend.schema, execute: (text) => server.pool.query(text) };
  };
  runSuite(
    "operation store",
    operationStoreCases,
    harnessOf(open, ({ operations }) => operations),
  );
  runSuite(
    "idempotency store",
    idempotencyStoreCases,
    harnessOf(open, ({ idempotency }) => idempotency),
  );
  runSuite(
    "submissions",
    submissionsCases,
    harnessOf(open, ({ submissions }) => submissions),
  );
  runSuite("queue", queueCases, queueHarness(open));
});

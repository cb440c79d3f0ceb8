import { PGlite } from "@electric-sql/pglite";
import { createPostgresBackend, fromPGlite } from "async-request-reply/postgres";
import {
  idempotencyStoreCases,
  operationStoreCases,
  queueCases,
  submissionsCases,
} from "async-request-reply/testing";
import { afterAll, describe } from "vitest";
import { type Fresh, harnessOf, queueHarness } from "./postgres/harnesses.js";
import { runSuite } from "./run-suite.js";

describe("the back end on PGlite", () => {
  const database = new PGlite();
  let count = 0;
  afterAll(() => database.close());

  const open = async (): Promise<Fresh> => {
    const schema = `test_${++count}`;
    const backend = createPostgresBackend({ pool: fromPGlite(database), schema });
    await backend.migrate();
    return { backend, schema, execute: (text) => database.exec(text) };
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

import { PGlite } from "@electric-sql/pglite";
import { createPostgresBackend, fromPGlite } from "async-request-reply/postgres";
import { afterAll, beforeAll, describe } from "vitest";
import { isNight } from "../support/effort.js";
import { createSchemaPool } from "../support/postgres/schema-pool.js";
import type { Openings, RunningOptions } from "./postgres/harnesses.js";
import { runPortSuites, runSubmissionsSuite } from "./postgres/run-port-suites.js";

describe("the back end on PGlite", () => {
  let database: PGlite;
  // Creating a database cluster takes seconds.
  beforeAll(async () => {
    database = await PGlite.create();
  }, 60_000);

  const openIn = (schema: string, options: Partial<RunningOptions> = {}) =>
    createPostgresBackend({ pool: fromPGlite(database), ...options, schema });
  let count = 0;
  const schemas = createSchemaPool({
    execute: (text) => database.exec(text),
    query: (text) => database.query(text),
    newSchema: () => `test_${++count}`,
    migrate: (schema) => openIn(schema).migrate(),
  });
  afterAll(async () => {
    await schemas.verify();
    await database.close();
  });

  function open(schema: string, options: Partial<RunningOptions> = {}) {
    const backend = openIn(schema, options);
    const close = async () => {
      await backend.close();
      await schemas.release(schema);
    };
    return { ...backend, schema, close };
  }
  const openings: Openings = {
    stopped: async () => {
      const { schema, time } = await schemas.takeStopped();
      return { ...open(schema), time };
    },
    running: async ({ schema, ...options }) =>
      schema === undefined ? open(schemas.take(), options) : { ...openIn(schema, options), schema },
  };
  // The same SQL runs on the newest Postgres, and sql-database.test.ts tests the connection.
  if (isNight) runPortSuites(openings);
  else runSubmissionsSuite(openings);
});

import { PGlite } from "@electric-sql/pglite";
import { createPostgresBackend, fromPGlite } from "async-request-reply/postgres";
import { afterAll, describe } from "vitest";
import type { Fresh } from "./postgres/harnesses.js";
import { runPortSuites } from "./postgres/run-port-suites.js";

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
  runPortSuites(open);
});

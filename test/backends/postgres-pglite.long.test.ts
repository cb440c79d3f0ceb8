import { PGlite } from "@electric-sql/pglite";
import { createPostgresBackend, fromPGlite } from "async-request-reply/postgres";
import { afterAll, beforeAll, describe } from "vitest";
import type { Fresh } from "./postgres/harnesses.js";
import { runPortSuites } from "./postgres/run-port-suites.js";

describe("the back end on PGlite", { timeout: 30_000 }, () => {
  let database: PGlite;
  // Creating a database cluster takes seconds.
  beforeAll(async () => {
    database = await PGlite.create();
  }, 60_000);
  afterAll(() => database?.close());

  /**
   * Schemas that are free for reuse. Migrating a new one and compiling its functions would take most of the time of
   * a case.
   */
  const free: string[] = [];
  let count = 0;

  async function emptySchema(): Promise<string> {
    const known = free.pop();
    if (known !== undefined) {
      await database.exec(`truncate ${known}.operations, ${known}.paused; ${clocks.get(known)}`);
      return known;
    }
    const schema = `test_${++count}`;
    await createPostgresBackend({ pool: fromPGlite(database), schema }).migrate();
    clocks.set(schema, await clockOf(schema));
    return schema;
  }

  /** The original clock function of each schema. Cases may replace it. */
  const clocks = new Map<string, string>();
  async function clockOf(schema: string): Promise<string> {
    const text = `select pg_get_functiondef('${schema}.now_v1()'::regprocedure) as definition`;
    const { rows } = await database.query<{ definition: string }>(text);
    return rows[0]?.definition ?? "";
  }

  const open = async (): Promise<Fresh> => {
    const schema = await emptySchema();
    const backend = createPostgresBackend({ pool: fromPGlite(database), schema });
    const close = async (): Promise<void> => {
      await backend.close();
      free.push(schema);
    };
    return { backend: { ...backend, close }, schema, execute: (text) => database.exec(text) };
  };
  runPortSuites(open);
});

import { Client, Pool } from "pg";
import { describe } from "vitest";
import { testMistakes, untyped } from "../support/untyped.js";

const { createMemoryBackend, createPostgresBackend } = untyped;
const POOL =
  "a `Pool` of `pg`, such as `new Pool({ connectionString })`, or the result of `fromPGlite(database)`";
const pool = { connect: (): void => {} };

describe("a mistake in a back end says what is wrong, what is expected and what to do", () => {
  testMistakes([
    [
      "a list of options",
      "The options of createMemoryBackend must be an object, not a list.",
      () => createMemoryBackend([]),
    ],
    [
      "an invalid clock",
      "Option `clock` must be a clock, such as `createManualClock()` for tests, not a function.",
      () => createMemoryBackend({ clock: Date }),
    ],
    [
      "a pool without the name of its option",
      "The options of createPostgresBackend must be a plain object, such as `{ pool }`, not an instance of a class.",
      () => createPostgresBackend(new Pool()),
    ],
    [
      "a pool that is still being opened",
      `Option \`pool\` must be ${POOL}, not a promise that was not awaited.`,
      () => createPostgresBackend({ pool: Promise.resolve(pool) }),
    ],
    ["no pool", `Option \`pool\` must be ${POOL}, not undefined.`, () => createPostgresBackend({})],
    [
      "a connection string, which is not quoted",
      `Option \`pool\` must be ${POOL}, not a string.`,
      () => createPostgresBackend({ pool: "postgres://me:secret@localhost" }),
    ],
    [
      "a client, which is one connection",
      "Option `pool` is a `Client` of `pg`, which is one connection. Pass a pool, such as `new Pool({ connectionString })`.",
      () => createPostgresBackend({ pool: new Client() }),
    ],
    [
      "PGlite without its wrapper",
      `Option \`pool\` must be ${POOL}, not an object.`,
      () => createPostgresBackend({ pool: { query: (): void => {}, transaction: (): void => {} } }),
    ],
    [
      "a schema with a dash",
      'Option `schema` must be a name of 1 to 48 characters from a-z, 0-9 and _ that does not begin with a digit, not "my-schema".',
      () => createPostgresBackend({ pool, schema: "my-schema" }),
    ],
    [
      "an unknown way to migrate",
      'Option `migrate` must be `auto` or `manual`, not "never".',
      () => createPostgresBackend({ pool, migrate: "never" }),
    ],
    [
      "a listen that is not a boolean",
      'Option `listen` must be true or false, not "yes".',
      () => createPostgresBackend({ pool, listen: "yes" }),
    ],
  ]);
});

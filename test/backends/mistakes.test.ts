import type { Backend } from "async-request-reply";
import { Client, Pool } from "pg";
import { describe } from "vitest";
import { type Mistake, testMistakes, untyped } from "../support/untyped.js";

const { createMemoryBackend, createPostgresBackend, withQueue } = untyped;
const POOL =
  "a `Pool` of `pg`, such as `new Pool({ connectionString })`, or the result of `fromPGlite(database)`";
const pool = { connect: (): void => {} };

/** The argument that each function that adapts a library needs. */
const LIBRARIES = {
  fromDrizzle: "a database of Drizzle, such as `drizzle(pool)`",
  fromKnex: 'an instance of Knex, such as `knex({ client: "pg", connection })`',
  fromKysely: "an instance of Kysely, such as `new Kysely({ dialect })`",
  fromMikroOrm: "an `EntityManager` of MikroORM, such as `orm.em`",
  fromPGlite: "a database of PGlite, such as `new PGlite()`",
  fromPool: "a `Pool` of `pg`, such as `new Pool({ connectionString })`",
  fromPrisma: "a `PrismaClient`, such as `new PrismaClient({ adapter })`",
  fromTypeOrm: 'a `DataSource` of TypeORM, such as `new DataSource({ type: "postgres", url })`',
};
const others = [
  ["undefined", undefined],
  ["5", 5],
  ["an object", {}],
  ["a function", () => {}],
  ["a string", "postgres://me:secret@localhost"],
  ["a promise that was not awaited", Promise.resolve({})],
] as const;

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

describe("withQueue says what it needs", () => {
  const queues = [
    ["undefined", undefined],
    ["a string", "amqp://me:secret@localhost"],
    ["an object", createMemoryBackend()],
    ["a promise that was not awaited", Promise.resolve({})],
  ] as const;
  testMistakes([
    ...queues.map(
      ([kind, queue]): Mistake => [
        `instead of ${kind} as queue`,
        `The second argument of \`withQueue\` must be a queue, such as \`createNatsQueue({ jetstream })\`, not ${kind}.`,
        () => withQueue(createMemoryBackend(), queue),
      ],
    ),
    [
      "instead of a queue as back end",
      "Option `backend` must be a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`, not an object.",
      () => withQueue((createMemoryBackend() as Backend).queue, createMemoryBackend()),
    ],
  ]);
});

describe("a function that adapts a library says what it needs", () => {
  testMistakes(
    Object.entries(LIBRARIES).flatMap(([name, needed]) =>
      others.map(
        ([kind, value]): Mistake => [
          `${name} with ${kind}`,
          `The argument of \`${name}\` must be ${needed}, not ${kind}.`,
          () => untyped[name as keyof typeof LIBRARIES](value),
        ],
      ),
    ),
  );
});

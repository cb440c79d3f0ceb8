import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool, PoolConfig } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { describePostgres, openPool, openPoolAt, portOfServer } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { expectMisconfigured, refusedCheck } from "./refused-check.js";

await describePostgres("check() of a back end on Postgres", (server) => {
  /** Opens a pool that ends with the test. */
  function poolWith(options: PoolConfig): Pool {
    const pool = openPoolAt(portOfServer(), options).on("error", () => {});
    onTestFinished(() => pool.end());
    return pool;
  }

  /** Creates a role or a database, which is dropped after the test. Returns its name. */
  async function create(kind: "role" | "database", options = "") {
    const name = server.newSchema();
    await server.pool.query(`create ${kind} ${name} ${options}`);
    const force = kind === "database" ? "(force)" : "";
    onTestFinished(async () => void (await server.pool.query(`drop ${kind} ${name} ${force}`)));
    return name;
  }

  it("resolves if its schema can be used, which it creates where it may", async () => {
    const backend = server.openOwn();
    await expect(backend.check()).resolves.toBeUndefined();
  });

  it("warns once if the pool would end the process when the server restarts", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    const pools = [openPool(), openPool().on("error", () => {})];
    process.on("warning", onWarning);
    try {
      for (const pool of pools) {
        const backend = server.openOwn({ pool });
        await backend.check();
        await backend.check();
      }
      expect(warnings).toMatchObject([
        {
          code: "POOL_WITHOUT_LISTENER",
          message:
            "The pool of `createPostgresBackend` has no listener for `error`, so this process ends when the database restarts. Add " +
            'one, such as `pool.on("error", console.error)`.',
        },
      ]);
    } finally {
      process.off("warning", onWarning);
      for (const pool of pools) await pool.end();
    }
  });

  it("rejects when the pool has been ended", async () => {
    const pool = openPool();
    const backend = server.openOwn({ pool });
    await backend.check();
    await pool.end();
    await expectMisconfigured(
      backend,
      "The pool of `createPostgresBackend` has ended, so it provides no connections. Pass an open pool, and end it after `backend.close()`.",
    );
  });

  it("rejects when the connection that listens would be the only one", async () => {
    const pool = poolWith({ max: 1 });
    await expectMisconfigured(
      server.openOwn({ pool }),
      "The pool of `createPostgresBackend` has `max: 1`, but listening for notifications keeps one connection in use. " +
        "Create the pool with a `max` of at least 2, or pass `listen: false`.",
    );
    await expect(server.openOwn({ pool, listen: false }).check()).resolves.toBeUndefined();
  });

  it.each([
    ["the pool asks for binary values", { binary: true }],
    [
      "a parser changes ids",
      { types: { getTypeParser: () => (value: string) => value.replaceAll("-", "") } },
    ],
  ])("rejects when ids are not read as they are, because %s", async (_, options) => {
    await expectMisconfigured(
      server.openOwn({ pool: poolWith(options as PoolConfig) }),
      "The driver of the pool does not return a `uuid` as text. Remove `binary: true` from the options of the pool, " +
        "`pg.defaults.binary`, and any parser for that type.",
    );
  });

  it("rejects while all connections of the pool are in use", async () => {
    const pool = poolWith({ max: 2, connectionTimeoutMillis: 500 });
    const clients = [await pool.connect(), await pool.connect()];
    try {
      expect((await refusedCheck(server.openOwn({ pool }))).detail).toMatch(
        /^The pool provided no connection in time, .* whether all connections of the pool are in use\.$/,
      );
    } finally {
      for (const client of clients) client.release();
    }
  });

  it("rejects when the server is older than 13", async () => {
    const pool = interceptStatements(server.pool, async (statement, run) => {
      const { rows } = await run();
      if (!statement.text.includes("server_version")) return { rows };
      return { rows: [{ ...rows[0], version: "12.22", version_number: 120_022 }] };
    });
    await expectMisconfigured(
      createPostgresBackend({ pool, schema: server.newSchema() }),
      "The server is PostgreSQL 12.22, but this release needs 13 or later. Upgrade the server, or connect the pool to another one.",
    );
  });

  describe("in a separate database", () => {
    it.each(["LATIN1", "SQL_ASCII"])(
      "rejects when its encoding is %s, with a statement that creates a right one",
      async (encoding) => {
        const database = await create("database", `encoding '${encoding}' template template0 locale 'C'`);
        const { code, detail } = await refusedCheck(createPostgresBackend({ pool: poolWith({ database }) }));
        expect({ code, detail }).toEqual({
          code: "INVALID_OPTION",
          detail:
            `Database "${database}" has the encoding ${encoding}, which cannot store every JSON text. A database keeps its ` +
            "encoding, so create another one with `create database … encoding 'UTF8' template template0 locale 'C'`, and " +
            "connect the pool to it.",
        });
        const [, options] = /`create database …(.*)`/.exec(detail) ?? [];
        const right = poolWith({ database: await create("database", options) });
        await expect(createPostgresBackend({ pool: right }).check()).resolves.toBeUndefined();
      },
    );

    it("rejects when connections are read-only, and closes them, so that later ones can be writable", async () => {
      const database = await create("database");
      const alter = (how: string) =>
        server.pool.query(`alter database ${database} ${how.replace("it", "default_transaction_read_only")}`);
      await alter("set it = on");
      const pool = poolWith({ database, max: 1 });
      const { rows } = await pool.query<{ role: string }>("select current_user as role");
      const backend = createPostgresBackend({ pool, listen: false });
      await expectMisconfigured(
        backend,
        `The connections of the pool are read-only: \`default_transaction_read_only\` is on for role "${rows[0]?.role}" in database ` +
          `"${database}". Turn it off with \`alter role\`, \`alter database\` or in the server configuration, or ` +
          "connect as another role.",
      );
      await alter("reset it");
      await expect(backend.check()).resolves.toBeUndefined();
    });

    it("rejects when the role has no permission to connect to it", async () => {
      const [database, role] = [await create("database"), await create("role", "login")];
      await server.pool.query(`revoke connect on database ${database} from public`);
      await expectMisconfigured(
        createPostgresBackend({ pool: poolWith({ database, user: role }) }),
        `The role of the pool has no permission to connect to database "${database}". Run \`grant connect on database … to …\` ` +
          "as the owner of the database.",
      );
    });

    it("rejects when the role has no permission to create the schema", async () => {
      const [database, role] = [await create("database"), await create("role", "login")];
      await expectMisconfigured(
        createPostgresBackend({ pool: poolWith({ database, user: role }) }),
        `Role "${role}" has no permission to create or upgrade schema async_request_reply in database "${database}". Run ` +
          `\`grant create on database ${database} to ${role}\`, or have an administrator apply the SQL printed by ` +
          "`npx async-request-reply sql` and the grants.",
      );
    });
  });

  it("rejects when the database is missing", () =>
    expectMisconfigured(
      createPostgresBackend({ pool: poolWith({ database: "never_created" }) }),
      'Database "never_created" does not exist on the server. Create it with `create database`, or correct `database` in the ' +
        "connection options of the pool.",
    ));

  it("rejects when the role is not allowed to log in", async () => {
    const role = await create("role", "nologin");
    await expectMisconfigured(
      createPostgresBackend({ pool: poolWith({ user: role }) }),
      `The server does not allow role "${role}" to log in. Create the role with \`create role … login\`, allow it in pg_hba.conf, ` +
        "or correct `user` in the connection options of the pool.",
    );
  });
});

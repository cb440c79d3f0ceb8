import { createPostgresBackend } from "async-request-reply/postgres";
import type { PoolConfig } from "pg";
import { describe, expect, it } from "vitest";
import { describePostgres, openPool, openPoolAt, portOfServer } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { misconfigured, refusedCheck } from "./refused-check.js";

await describePostgres("check() of a back end on Postgres", (server) => {
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
    expect(await refusedCheck(backend)).toEqual(
      misconfigured(
        "The pool of `createPostgresBackend` has ended, so it provides no connections. Pass an open pool, and end it after `backend.close()`.",
      ),
    );
  });

  it("rejects when the connection that listens would be the only one", async () => {
    const pool = openPool({ max: 1 });
    try {
      expect(await refusedCheck(server.openOwn({ pool }))).toEqual(
        misconfigured(
          "The pool of `createPostgresBackend` has `max: 1`, but listening for notifications keeps one connection in use. " +
            "Create the pool with a `max` of at least 2, or pass `listen: false`.",
        ),
      );
      await expect(server.openOwn({ pool, listen: false }).check()).resolves.toBeUndefined();
    } finally {
      await pool.end();
    }
  });

  it.each([
    ["the pool asks for binary values", { binary: true }],
    [
      "a parser changes ids",
      { types: { getTypeParser: () => (value: string) => value.replaceAll("-", "") } },
    ],
  ])("rejects when ids are not read as they are, because %s", async (_, options) => {
    const pool = openPool(options as PoolConfig);
    try {
      expect(await refusedCheck(server.openOwn({ pool }))).toEqual(
        misconfigured(
          "The driver of the pool does not return a `uuid` as text. Remove `binary: true` from the options of the pool, " +
            "`pg.defaults.binary`, and any parser for that type.",
        ),
      );
    } finally {
      await pool.end();
    }
  });

  it("rejects while all connections of the pool are in use", async () => {
    const pool = openPool({ max: 2, connectionTimeoutMillis: 500 });
    const clients = [await pool.connect(), await pool.connect()];
    try {
      expect((await refusedCheck(server.openOwn({ pool }))).detail).toMatch(
        /^The pool provided no connection in time, .* whether all connections of the pool are in use\.$/,
      );
    } finally {
      for (const client of clients) client.release();
      await pool.end();
    }
  });

  it("rejects when the server is older than 13", async () => {
    const pool = interceptStatements(server.pool, async (statement, run) => {
      const { rows } = await run();
      if (!statement.text.includes("server_version")) return { rows };
      return { rows: [{ ...rows[0], version: "12.22", version_number: 120_022 }] };
    });
    const backend = createPostgresBackend({ pool, schema: server.newSchema() });
    expect(await refusedCheck(backend)).toEqual(
      misconfigured(
        "The server is PostgreSQL 12.22, but this release needs 13 or later. Upgrade the server, or connect the pool to another one.",
      ),
    );
  });

  describe("in a separate database", () => {
    async function inDatabase(run: (database: string) => Promise<void>, options = ""): Promise<void> {
      const database = server.newSchema();
      await server.pool.query(`create database ${database} ${options}`);
      try {
        await run(database);
      } finally {
        await server.pool.query(`drop database ${database} (force)`);
      }
    }

    it.each(["LATIN1", "SQL_ASCII"])(
      "rejects when its encoding is %s, with a statement that creates a right one",
      (encoding) =>
        inDatabase(async (database) => {
          const pool = openPoolAt(portOfServer(), { database });
          pool.on("error", () => {});
          try {
            const { code, detail } = await refusedCheck(createPostgresBackend({ pool }));
            expect({ code, detail }).toEqual(
              misconfigured(
                `Database "${database}" has the encoding ${encoding}, which cannot store every JSON text. A database keeps its ` +
                  "encoding, so create another one with `create database … encoding 'UTF8' template template0 locale 'C'`, and " +
                  "connect the pool to it.",
              ),
            );
            const statement = /`(create database .*)`/.exec(detail)?.[1] ?? "";
            const other = server.newSchema();
            await server.pool.query(statement.replace("…", other));
            const right = openPoolAt(portOfServer(), { database: other });
            right.on("error", () => {});
            try {
              await expect(createPostgresBackend({ pool: right }).check()).resolves.toBeUndefined();
            } finally {
              await right.end();
              await server.pool.query(`drop database ${other} (force)`);
            }
          } finally {
            await pool.end();
          }
        }, `encoding '${encoding}' template template0 locale 'C'`),
    );

    it("rejects when connections are read-only, and closes them, so that later ones can be writable", () =>
      inDatabase(async (database) => {
        const alter = (how: string) =>
          server.pool.query(`alter database ${database} ${how} default_transaction_read_only`);
        await server.pool.query(`alter database ${database} set default_transaction_read_only = on`);
        const pool = openPoolAt(portOfServer(), { database, max: 1 });
        pool.on("error", () => {});
        try {
          const role = (await pool.query<{ role: string }>("select current_user as role")).rows[0]?.role;
          const backend = createPostgresBackend({ pool, listen: false });
          expect(await refusedCheck(backend)).toEqual(
            misconfigured(
              `The connections of the pool are read-only: \`default_transaction_read_only\` is on for role "${role}" in database ` +
                `"${database}". Turn it off with \`alter role\`, \`alter database\` or in the server configuration, or ` +
                "connect as another role.",
            ),
          );
          await alter("reset");
          await expect(backend.check()).resolves.toBeUndefined();
        } finally {
          await pool.end();
        }
      }));

    it("rejects when the role has no permission to connect to it", () =>
      inDatabase(async (database) => {
        const role = server.newSchema();
        await server.pool.query(
          `create role ${role} login; revoke connect on database ${database} from public`,
        );
        const pool = openPoolAt(portOfServer(), { database, user: role });
        try {
          expect(await refusedCheck(createPostgresBackend({ pool }))).toEqual(
            misconfigured(
              `The role of the pool has no permission to connect to database "${database}". Run \`grant connect on database … to …\` ` +
                "as the owner of the database.",
            ),
          );
        } finally {
          await pool.end();
          await server.pool.query(`drop role ${role}`);
        }
      }));

    it("rejects when the role has no permission to create the schema", () =>
      inDatabase(async (database) => {
        const role = server.newSchema();
        await server.pool.query(`create role ${role} login`);
        const pool = openPoolAt(portOfServer(), { database, user: role });
        try {
          expect(await refusedCheck(createPostgresBackend({ pool }))).toEqual(
            misconfigured(
              `Role "${role}" has no permission to create or upgrade schema async_request_reply in database "${database}". Run ` +
                `\`grant create on database ${database} to ${role}\`, or have an administrator apply the SQL printed by ` +
                "`npx async-request-reply-postgres-sql` and the grants.",
            ),
          );
        } finally {
          await pool.end();
          await server.pool.query(`drop role ${role}`);
        }
      }));
  });

  it("rejects when the database is missing", async () => {
    const pool = openPoolAt(portOfServer(), { database: "never_created" });
    try {
      expect(await refusedCheck(createPostgresBackend({ pool }))).toEqual(
        misconfigured(
          'Database "never_created" does not exist on the server. Create it with `create database`, or correct `database` in the ' +
            "connection options of the pool.",
        ),
      );
    } finally {
      await pool.end();
    }
  });

  it("rejects when the role is not allowed to log in", async () => {
    const role = server.newSchema();
    await server.pool.query(`create role ${role} nologin`);
    const pool = openPoolAt(portOfServer(), { user: role });
    try {
      expect(await refusedCheck(createPostgresBackend({ pool }))).toEqual(
        misconfigured(
          `The server does not allow role "${role}" to log in. Create the role with \`create role … login\`, allow it in pg_hba.conf, ` +
            "or correct `user` in the connection options of the pool.",
        ),
      );
    } finally {
      await pool.end();
      await server.pool.query(`drop role ${role}`);
    }
  });
});

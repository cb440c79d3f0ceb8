import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool, type PoolConfig } from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWithPostgres } from "../../support/postgres/postgres-installation.js";
import { type PrivatePostgres, startPrivatePostgres } from "../../support/postgres/private-postgres.js";
import { expectMisconfigured, expectUnavailable } from "./refused-check.js";

describeWithPostgres("check() of a back end on a Postgres of its own", (installation) => {
  let folder: string;
  let postgres: PrivatePostgres;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "hba-"));
    chmodSync(folder, 0o755);
    const hba = join(folder, "pg_hba.conf");
    writeFileSync(
      hba,
      "host all postgres 127.0.0.1/32 trust\nhost postgres all 127.0.0.1/32 scram-sha-256\n",
    );
    postgres = await startPrivatePostgres({ installation, settings: { hba_file: hba } });
    await postgres.query("create role app login password 'the right one'");
    await postgres.query("create database other");
  });
  afterAll(async () => {
    await postgres?.remove();
    rmSync(folder, { recursive: true });
  });

  function open(config: PoolConfig) {
    const address = { host: "127.0.0.1", port: postgres.port, database: "postgres", user: "app" };
    const pool = new Pool({ ...address, ...config });
    pool.on("error", () => {});
    onTestFinished(() => pool.end());
    return createPostgresBackend({ pool, migrate: "manual" });
  }

  it.each([
    [
      "names the role whose password is wrong, and not the password",
      { password: "a wrong one" },
      'The server rejected the password of role "app". Correct `user` and `password` in the connection options of the pool.',
    ],
    [
      "says that a password is missing",
      { password: "" },
      "The server asks for a password, but the pool has none. Set `password` in the connection options of the pool.",
    ],
    [
      "names the role that pg_hba.conf does not let in",
      { password: "the right one", database: "other" },
      'The server does not allow role "app" to log in. Create the role with `create role … login`, allow it in pg_hba.conf, or ' +
        "correct `user` in the connection options of the pool.",
    ],
  ])("%s", (_, config, detail) => expectMisconfigured(open(config), detail));

  it("says the same in the events of calls", async () => {
    const { operations } = open({ password: "a wrong one" });
    await expect(operations.stats({ definitions: ["orders"] })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      detail: "The store cannot be reached.",
      message: expect.stringContaining('The server rejected the password of role "app".'),
    });
  });

  it("says that the server is a hot standby", async () => {
    const [row] = await postgres.query<{ data_directory: string }>("show data_directory");
    await postgres.stop("fast");
    const signal = join(String(row?.data_directory), "standby.signal");
    writeFileSync(signal, "");
    await postgres.start();
    try {
      await expectUnavailable(
        open({ user: "postgres" }),
        "The server is a hot standby, which is read-only. Connect the pool to the primary, or wait until the standby takes over.",
      );
    } finally {
      await postgres.stop("fast");
      rmSync(signal);
      await postgres.start();
    }
  });
});

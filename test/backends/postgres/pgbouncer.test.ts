import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPostgresBackend } from "async-request-reply/postgres";
import { type Client, Pool, type PoolClient } from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { freePort } from "../../support/free-port.js";
import { accountOfPostgres } from "../../support/postgres/postgres-installation.js";
import { describePostgres } from "../../support/postgres/server.js";
import { expectMisconfigured } from "./refused-check.js";

/** Program of the Debian package, which is older than 1.21 in Debian 12. */
const PROGRAM = "/usr/sbin/pgbouncer";

await describePostgres("check() behind pgbouncer 1.18", (server) => {
  /** Starts pgbouncer in front of the test server, and opens a pool there. */
  async function openPooled(mode: "transaction" | "session") {
    const taken = (await server.pool.connect()) as unknown as Client & PoolClient;
    const { host, port, user = "", database = "" } = taken;
    taken.release();
    const own = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
    const settings = join(folder, "pgbouncer.ini");
    writeFileSync(
      settings,
      `[databases]
${database} = host=${host} port=${port} dbname=${database} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits
`,
    );
    const account = accountOfPostgres();
    if (account !== undefined)
      for (const path of [folder, settings]) chownSync(path, account.uid, account.gid);
    const pooler = spawn(PROGRAM, [settings], { ...account, stdio: "ignore" });
    const pool = new Pool({ host: "127.0.0.1", port: own, user, database, max: 2 });
    pool.on("error", () => {});
    onTestFinished(async () => {
      await pool.end();
      const ended = once(pooler, "exit");
      pooler.kill();
      await ended;
      rmSync(folder, { recursive: true });
    });
    await vi.waitUntil(() => pool.query("select 1").catch(() => undefined));
    return pool;
  }

  /** Opens a back end behind the pooler. */
  async function openBehind(mode: "transaction" | "session") {
    const pool = await openPooled(mode);
    const backend = createPostgresBackend({ pool, schema: server.newSchema(), listen: false });
    onTestFinished(() => backend.close());
    return backend;
  }

  // Other versions prepare statements themselves.
  const itWithPgbouncer = it.skipIf(!existsSync(PROGRAM) && !process.env.CI);

  itWithPgbouncer(
    "rejects in transaction mode, where named statements do not survive (needs pgbouncer)",
    async () => {
      await expectMisconfigured(
        await openBehind("transaction"),
        "The pooler between the pool and the server loses prepared statements. Use pgbouncer 1.21 or later with " +
          "`max_prepared_statements` above 0, or another pool mode, or connect to the server itself.",
      );
    },
  );

  itWithPgbouncer("resolves in session mode (needs pgbouncer)", async () => {
    const backend = await openBehind("session");
    for (const _ of [1, 2]) await expect(backend.check()).resolves.toBeUndefined();
  });
});

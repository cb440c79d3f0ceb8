import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  debianPostgres,
  describeWithPostgres,
  npmPostgres,
  type PostgresInstallation,
} from "../support/postgres/postgres-installation.js";
import { type PrivatePostgres, startPrivatePostgres } from "../support/postgres/private-postgres.js";
import { canMountTmpfs } from "../support/tmpfs.js";

const declare = (installation: PostgresInstallation): void => {
  let postgres: PrivatePostgres;
  beforeAll(async () => {
    postgres = await startPrivatePostgres({ installation, fsync: true });
    await postgres.query("CREATE TABLE kept (n int)");
  });
  afterAll(() => postgres?.remove());

  const rows = async (): Promise<readonly number[]> =>
    (await postgres.query<{ n: number }>("SELECT n FROM kept ORDER BY n")).map(({ n }) => n);

  it("answers queries", async () => {
    expect(await postgres.query("SELECT $1::int + 1 AS sum, current_setting('fsync') AS fsync", [1])).toEqual(
      [{ sum: 2, fsync: "on" }],
    );
  });

  it.each(["fast", "immediate"] as const)("keeps committed rows after a stop in mode %s", async (mode) => {
    await postgres.query("INSERT INTO kept VALUES (1)");
    await postgres.stop(mode);
    await expect(postgres.query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await postgres.start();
    expect(await rows()).toContain(1);
  });

  it("keeps committed rows after all of its processes are killed", async () => {
    await postgres.query("INSERT INTO kept VALUES (2)");
    const broken = expect(postgres.query("SELECT pg_sleep(60)")).rejects.toThrow(/terminated/);
    const sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    await vi.waitUntil(async () => (await postgres.query(sleeping)).length > 0);
    await postgres.kill9();
    await broken;
    await postgres.start();
    expect(await rows()).toContain(2);
  });

  it("removes its data and stops listening", async () => {
    const other = await startPrivatePostgres({ installation });
    const [settings] = await other.query<{ folder: string }>(
      "SELECT current_setting('data_directory') AS folder",
    );
    await other.remove();
    expect(existsSync(settings?.folder ?? "/")).toBe(false);
    await expect(other.query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
};

describeWithPostgres("a private PostgreSQL of Debian", declare, debianPostgres());
describeWithPostgres("a private PostgreSQL of npm", declare, npmPostgres());

describe.skipIf(!canMountTmpfs())("a private PostgreSQL on a small disk", () => {
  describeWithPostgres("on tmpfs", (installation) => {
    it("reports a full disk, and recovers when space is freed", async () => {
      const postgres = await startPrivatePostgres({ installation, diskMegabytes: 80 });
      try {
        await postgres.query("CREATE TABLE filling AS SELECT 1 AS n, repeat('x', 1000) AS text");
        const fill = postgres.query(
          "INSERT INTO filling SELECT n, repeat('x', 1000) FROM generate_series(1, 200000) n",
        );
        await expect(fill).rejects.toMatchObject({ code: "53100" });
        await postgres.query("TRUNCATE filling");
        expect(await postgres.query("SELECT count(*)::int AS n FROM filling")).toEqual([{ n: 0 }]);
      } finally {
        await postgres.remove();
      }
    });
  });
});

import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  debianPostgres,
  npmPostgres,
  type PostgresInstallation,
} from "../support/postgres/postgres-installation.js";
import { type PrivatePostgres, startPrivatePostgres } from "../support/postgres/private-postgres.js";
import { canMountTmpfs } from "../support/tmpfs.js";
import { describeOnPostgres } from "./use-postgres.js";

const declare = (postgres: () => PrivatePostgres, installation: PostgresInstallation): void => {
  beforeAll(() => postgres().query("CREATE TABLE kept (n int)"));

  const rows = async (): Promise<readonly number[]> =>
    (await postgres().query<{ n: number }>("SELECT n FROM kept ORDER BY n")).map(({ n }) => n);

  it("answers queries", async () => {
    expect(
      await postgres().query("SELECT $1::int + 1 AS sum, current_setting('fsync') AS fsync", [1]),
    ).toEqual([{ sum: 2, fsync: "on" }]);
  });

  it.each(["fast", "immediate"] as const)("keeps committed rows after a stop in mode %s", async (mode) => {
    await postgres().query("INSERT INTO kept VALUES (1)");
    await postgres().stop(mode);
    await expect(postgres().query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await postgres().start();
    expect(await rows()).toContain(1);
  });

  it("keeps committed rows after all of its processes are killed", async () => {
    await postgres().query("INSERT INTO kept VALUES (2)");
    const broken = expect(postgres().query("SELECT pg_sleep(60)")).rejects.toThrow(/terminated/);
    const sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    await vi.waitUntil(async () => (await postgres().query(sleeping)).length > 0);
    await postgres().kill9();
    await broken;
    await postgres().start();
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

describeOnPostgres("a private PostgreSQL of Debian", declare, debianPostgres(), { fsync: true });
describeOnPostgres("a private PostgreSQL of npm", declare, npmPostgres(), { fsync: true });

describe.skipIf(!canMountTmpfs())("a private PostgreSQL on a small disk", () => {
  const declareFull = (postgres: () => PrivatePostgres): void => {
    it("reports a full disk, and recovers when space is freed", async () => {
      await postgres().query("CREATE TABLE filling AS SELECT 1 AS n, repeat('x', 1000) AS text");
      const fill = postgres().query(
        "INSERT INTO filling SELECT n, repeat('x', 1000) FROM generate_series(1, 200000) n",
      );
      await expect(fill).rejects.toMatchObject({ code: "53100" });
      await postgres().query("TRUNCATE filling");
      expect(await postgres().query("SELECT count(*)::int AS n FROM filling")).toEqual([{ n: 0 }]);
    });
  };
  describeOnPostgres("on tmpfs", declareFull, undefined, { diskMegabytes: 80 });
});

import { createPostgresBackend, postgresMigrations } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { describePostgres, openPool } from "../../support/postgres/server.js";

await describePostgres("migrating Postgres", (server) => {
  const versions = async (schema: string): Promise<unknown[]> =>
    (await server.pool.query(`select version from ${schema}.migrations order by version`)).rows;

  it("creates one schema when eight processes start at once, and changes nothing when repeated", async () => {
    const schema = server.newSchema();
    const pools = Array.from({ length: 8 }, () => openPool({ max: 1 }));
    try {
      await Promise.all(pools.map((pool) => createPostgresBackend({ pool, schema }).migrate()));
      const backend = server.open({ schema });
      expect(
        await backend.operations.create({
          id: newId(1),
          tenant: "a",
          definition: "d",
          input: "1",
          retentionMs: 60_000,
        }),
      ).toBe("created");
      await backend.migrate();
      expect((await backend.operations.get(newId(1), "a"))?.input).toBe("1");
      expect(await versions(schema)).toHaveLength(postgresMigrations(schema).length);
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  });

  it("happens before the first use unless it is manual, and then calls report a missing store", async () => {
    const automatic = server.openOwn();
    expect(await automatic.operations.get(newId(1), "a")).toBeUndefined();
    const manual = server.openOwn({ migrate: "manual" });
    await expect(manual.operations.get(newId(1), "a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await manual.migrate();
    expect(await manual.operations.get(newId(1), "a")).toBeUndefined();
  });

  it("keeps two schemas of one database apart", async () => {
    const [first, second] = [server.openOwn(), server.openOwn()];
    const submission = (n: number) => ({
      operation: { id: newId(n), tenant: "a", definition: "d", input: "1", retentionMs: 60_000, key: "k" },
      fingerprint: "1:a",
    });
    expect(await first.submissions.record(submission(1))).toEqual({ outcome: "created" });
    expect(await second.submissions.record(submission(2))).toEqual({ outcome: "created" });
    expect(await first.operations.get(newId(2), "a")).toBeUndefined();
    expect(await second.operations.list({ limit: 10 })).toHaveLength(1);
  });

  it.each(["", "Upper", "a-b", 'a"b', "1a", "a".repeat(49), "a;drop table b"])(
    "rejects the schema name %j",
    (schema) => {
      expect(() => postgresMigrations(schema)).toThrow(/Option `schema`/);
      expect(() => createPostgresBackend({ pool: server.pool, schema })).toThrow(/Option `schema`/);
    },
  );

  it.each([
    ["pool", { pool: undefined }],
    ["pool", { pool: {} }],
    ["migrate", { migrate: "never" }],
    ["listen", { listen: "no" }],
    ["pollIntervalMs", { pollIntervalMs: 0 }],
    ["maxBatch", { maxBatch: Number.NaN }],
    ["maxInFlight", { maxInFlight: 1.5 }],
    ["maxWaiting", { maxWaiting: -1 }],
  ])("rejects a bad `%s` by name", (name, options) => {
    const given = { pool: server.pool, ...options } as unknown as Parameters<typeof createPostgresBackend>[0];
    expect(() => createPostgresBackend(given)).toThrow(`Option \`${name}\``);
  });
});

function newId(n: number): string {
  return `01900000-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

import { RateLimiterPostgres } from "rate-limiter-flexible";
import { expect, it } from "vitest";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { expectSharedLimit } from "../../support/rate-limits.js";

await describePostgres("the rate limit of docs/authorization.md", (server) => {
  it("is shared by processes with one Postgres", async () => {
    const tableName = `submission_limits_${Date.now()}`;
    await server.pool.query(
      `create table ${tableName} (key varchar(255) primary key, points integer not null default 0, expire bigint)`,
    );
    const limiter = (storeClient = server.pool) =>
      new RateLimiterPostgres({ storeClient, tableName, tableCreated: true, points: 2, duration: 60 });
    const ended = openPool();
    await ended.end();
    await expectSharedLimit([limiter(), limiter()], limiter(ended));
    const { rowCount } = await server.pool.query(`select from ${tableName}`);
    expect(rowCount).toBe(2);
    await server.pool.query(`drop table ${tableName}`);
  });
});

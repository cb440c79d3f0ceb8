import { expect, it } from "vitest";
import { describePostgres, openPool } from "./server.js";

await describePostgres("check() of a back end on Postgres", (server) => {
  it("resolves if its schema can be used, which it creates where it may", async () => {
    const backend = server.open();
    await expect(backend.check()).resolves.toBeUndefined();
  });

  it("rejects while its schema is missing and is not to be created", async () => {
    const backend = server.open({ migrate: "manual" });
    await expect(backend.check()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await backend.migrate();
    await expect(backend.check()).resolves.toBeUndefined();
  });

  it("rejects when the pool has been ended", async () => {
    const pool = openPool();
    const backend = server.open({ pool });
    await pool.end();
    await expect(backend.check()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});

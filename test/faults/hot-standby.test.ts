import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";
import { expect, it } from "vitest";
import { useOpen } from "../servers/use-open.js";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { startPrivatePostgres } from "../support/postgres/private-postgres.js";
import { readOnce, send } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("a pool that reaches a lagging hot standby (F26)", (installation) => {
  const bench = useFaultBench(installation);
  const standby = useOpen(
    () => startPrivatePostgres({ installation, standbyOf: bench().postgres }),
    (started) => started.remove(),
  );

  it("answers nothing until the standby takes over", async () => {
    const primary = await bench().start({ role: "api" });
    const api = await bench().start({ role: "api", url: standby().url() });
    const [known = ""] = (await send("known", () => primary.baseUrl)).operationIds;
    const followed = "SELECT 1 FROM async_request_reply.operations";
    await expect.poll(() => standby().query(followed)).toHaveLength(1);
    await standby().query("SELECT pg_wal_replay_pause()");
    const [lagging = ""] = (await send("lagging", () => primary.baseUrl)).operationIds;
    for (const id of [known, lagging]) {
      const reply = await fetch(`${api.baseUrl}/operations/${id}`);
      expect([reply.status, Number(reply.headers.get("retry-after")) > 0]).toEqual([503, true]);
    }
    await standby().query("SELECT pg_wal_replay_resume()");
    await standby().query("SELECT pg_promote()");
    await expect.poll(() => readOnce(lagging, api.baseUrl)).toMatchObject({ status: "pending" });
  });

  it("lists and counts nothing, and says why", async () => {
    const other = await startPrivatePostgres({ installation, standbyOf: bench().postgres });
    const pool = new Pool({ connectionString: other.url() });
    pool.on("error", () => {});
    const { operations, close } = createPostgresBackend({ pool, migrate: "manual", listen: false });
    try {
      const reading = [
        () => operations.list({ limit: 10 }),
        () => operations.stats({ definitions: ["orders"] }),
        () => operations.getMany([]),
      ];
      const message = expect.stringMatching(/Connect the pool to the primary/) as string;
      for (const each of reading)
        await expect(each()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", message });
    } finally {
      await close();
      await pool.end();
      await other.remove();
    }
  });
});

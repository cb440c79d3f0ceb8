import type { SqlClient, SqlStatement } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { claimOnce } from "../../support/claims.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { poolOf } from "./pool-of.js";
import { newSubmission, newToken } from "./submissions.js";

await describePostgres("a commit of the back end", (server) => {
  it("waits for the disk if its result is reported, but not if it only takes a lease", async () => {
    const schema = server.newSchema();
    await server.open({ schema }).migrate();
    const durable = openPool({ max: 4, options: "-c synchronous_commit=on" });
    const commits: Record<string, Set<string>> = {};
    /** Runs each statement in a transaction, as without this pool, and asks how it will commit. */
    const pool = poolOf<SqlClient>(async () => {
      const client = await durable.connect();
      const query = async (statement: SqlStatement) => {
        await client.query("begin");
        const result = await client.query(statement);
        const { rows } = await client.query<{ synchronous_commit: string }>("show synchronous_commit");
        await client.query("commit");
        const name = statement.name?.replace(/^arr_(.*)_v1_.*$/, "$1") ?? "";
        commits[name] ??= new Set();
        commits[name].add(rows[0]?.synchronous_commit ?? "");
        return result;
      };
      return { query, release: (destroy) => client.release(destroy) };
    });
    const backend = server.open({ schema, pool: pool as never, migrate: "manual", listen: false });
    const { operations, submissions } = backend;
    try {
      await submissions.record(newSubmission({ key: "k" }));
      await Promise.all([1, 2, 3].map(() => submissions.record(newSubmission())));
      const token = newToken();
      const [begun] = await claimOnce(backend, { limit: 1, token });
      const lease = { operationId: begun?.id ?? "", token };
      await operations.renew(lease, { leaseMs: 60_000 });
      await operations.settle(lease, { to: "completed" });
      const lapsed = newSubmission({ definition: "other" }).operation;
      await operations.create(lapsed);
      await submissions.purge({ limit: 1 });
      expect(commits).toMatchObject({
        record_alone: new Set(["on"]),
        record_new: new Set(["on"]),
        create: new Set(["on"]),
        settle: new Set(["on"]),
        claim: new Set(["off"]),
        renew: new Set(["off"]),
        purge: new Set(["off"]),
      });
      // An operation with a requested cancellation ends when a worker claims it. The worker learns of that end, so
      // the commit waits.
      const begin = () => claimOnce(backend, { definitions: ["other"], leaseMs: 1_000 });
      await begin();
      expect(await operations.requestCancel(lapsed.id, "a")).toBe("requested");
      const isPending = async () => (await operations.get(lapsed.id, "a"))?.state === "pending";
      await expect.poll(() => begin().then(isPending)).toBe(false);
      expect(commits).toMatchObject({ cancel: new Set(["on"]), claim: new Set(["off", "on"]) });
    } finally {
      await backend.close();
      await durable.end();
    }
  });
});

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  allowAnonymous,
  createService,
  createWorker,
  defineOperation,
  defineOrders,
  retryLater,
} from "async-request-reply";
import { createPostgresBackend, postgresMigrations } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { expect, it } from "vitest";
import * as z from "zod";
import { claimOnce } from "../../support/claims.js";
import { blocksOf, page } from "../../support/pages.js";
import { describePostgres, openPoolAt, portOfServer } from "../../support/postgres/server.js";
import { newId, newOperation, newSubmission } from "./submissions.js";
import { endingWith } from "./user-transaction.js";

const TENANT = "anonymous";
const ORDER = { itemId: "book", quantity: 1 };

await describePostgres("a role with exactly the grants on the page about Postgres", (server) => {
  /** Creates a schema as an administrator, and connections of a role with only the grants on that page. */
  async function restricted<Result>(run: (pool: Pool, schema: string) => Promise<Result>): Promise<Result> {
    const [schema, role] = [server.newSchema(), `app_${randomBytes(8).toString("hex")}`];
    const grants = blocksOf(page(join("docs", "postgres.md")), "sql").find(({ text }) =>
      text.includes("grant"),
    );
    await server.pool.query(`create role ${role} login password '${role}'`);
    const pool = openPoolAt(portOfServer(), { user: role, password: role, max: 5 });
    try {
      for (const text of postgresMigrations(schema)) await server.pool.query(text);
      // A careful administrator revokes functions, which every role may call by default.
      await server.pool.query(`revoke execute on all functions in schema ${schema} from public`);
      const text = (grants?.text ?? "").replaceAll("async_request_reply", schema).replace(/\bapp\b/g, role);
      await server.pool.query(text);
      return await run(pool, schema);
    } finally {
      await pool.end();
      await server.pool.query(`drop owned by ${role}; drop role ${role}`);
    }
  }

  it.each(["auto", "manual"] as const)("runs a service and its workers with `migrate: %s`", (mode) =>
    restricted(async (pool, schema) => {
      const backend = createPostgresBackend({ pool, schema, migrate: mode });
      const { operations, submissions } = backend;
      const definition = defineOrders({ cancellable: true });
      const service = createService({ backend, authorize: allowAnonymous(), definitions: [definition] });
      const send = async (method: string, path: string, key?: string) => {
        const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
        const body = method === "POST" ? { body: JSON.stringify(ORDER) } : {};
        return (await service.handle({ method, path, headers, ...body })).status;
      };

      const first = await endingWith("commit", pool, (tx) =>
        service.submit(service.definitions[0], ORDER, { tx, tenant: TENANT, key: "first" }),
      );
      const keys = ["first", "second", "third"];
      expect(await Promise.all(keys.map((key) => send("POST", "/orders", key)))).toEqual([202, 202, 202]);
      expect(await send("DELETE", `/operations/${first.operationId}`)).toBe(200);

      const worker = createWorker(service, {
        orders: (_, job) => job.transaction(async (tx) => (await tx.query("select 1 as done")).rows),
      });
      await worker.runUntilIdle();
      const known = await operations.list({ limit: 10 });
      expect(known.map(({ state }) => state).sort()).toEqual(["completed", "completed", "failed"]);

      const own = { tenant: TENANT, definition: "d" };
      const creating = submissions.transactions?.record(newSubmission(own), async () => "{}");
      expect(await creating).toEqual({ outcome: "created" });
      const reference = { tenant: TENANT, definition: "orders", key: "first" };
      expect(await submissions.findKey(reference)).toMatchObject({ operationId: first.operationId });
      expect(await claimOnce(backend, { definitions: ["d"] })).toHaveLength(1);
      await operations.getMany([first.operationId]);
      await operations.pause("orders", "ann");
      await operations.resume("orders");
      expect(await operations.stats({ definitions: ["orders"] })).toMatchObject([{ failed: { count: 1 } }]);
      const successor = { id: newId(), onEndId: newId() };
      expect(await operations.redrive(first.operationId, successor)).toMatchObject({ created: true });
      const onEnd = { id: newId(), definition: "d", input: "1", retentionMs: 60_000 };
      const short = newOperation({ ...own, onEnd, retentionMs: 0 });
      await operations.create(short);
      expect(await operations.requestCancel(short.id, TENANT)).toBe("cancelled");
      expect(await claimOnce(backend, { definitions: ["d"] })).toMatchObject([{ id: onEnd.id }]);
      expect(await submissions.purge({ limit: 10 })).toBe(1);
      await backend.close();
    }),
  );

  it("keeps output and checkpoints, and deletes what was discarded", () =>
    restricted(async (pool, schema) => {
      const backend = createPostgresBackend({ pool, schema });
      const input = z.unknown();
      const logs = defineOperation({
        name: "logs",
        path: "/logs",
        input,
        chunk: z.string(),
        checkpoint: z.int(),
      });
      const service = createService({ backend, definitions: [logs], observe: false });
      const { operationId: id } = await service.submit(logs, {});
      const worker = createWorker(service, {
        logs: async (_, job) => {
          await job.write("a");
          if (job.resumed !== undefined) return;
          await job.checkpoint(1, (tx) => tx.query("select 1"));
          await job.write("discarded");
          throw retryLater({ afterMs: 0 });
        },
      });
      await worker.runUntilIdle();
      const [slice] = await backend.output.read([{ id, maxLength: 1_000 }]);
      expect(slice).toMatchObject({ chunks: ['"a"', '"a"'], state: "completed" });
      const { rows } = await pool.query(`select count(*)::integer as left from ${schema}.output_discards`);
      expect(rows).toEqual([{ left: 0 }]);
      await backend.close();
    }));
});

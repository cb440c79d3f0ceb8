import { createOrderService } from "async-request-reply";
import { createPostgresBackend, postgresMigrations } from "async-request-reply/postgres";
import { describe, expect, it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { expectMisconfigured } from "./refused-check.js";
import { newId, newOperation, newSubmission } from "./submissions.js";
import { openTestPool } from "./test-pool.js";

await describePostgres("migrating Postgres", (server) => {
  const versions = async (schema: string) =>
    (await server.pool.query(`select version from ${schema}.migrations order by version`)).rows;

  it("creates one schema when eight processes start at once, and changes nothing when repeated", async () => {
    const schema = server.newSchema();
    const pools = Array.from({ length: 8 }, () => openTestPool({ max: 1 }));
    await Promise.all(pools.map((pool) => createPostgresBackend({ pool, schema }).migrate()));
    const backend = server.open({ schema });
    const operation = newOperation();
    expect(await backend.operations.create(operation)).toBe("created");
    await backend.migrate();
    expect((await backend.operations.get(operation.id, "a"))?.input).toBe("1");
    expect(await versions(schema)).toHaveLength(postgresMigrations(schema).length);
  });

  it("happens before the first use unless it is manual, and then calls report a missing store", async () => {
    const automatic = server.openOwn();
    expect(await automatic.operations.get(newId(), "a")).toBeUndefined();
    const manual = server.openOwn({ migrate: "manual" });
    await expect(manual.operations.get(newId(), "a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await manual.migrate();
    expect(await manual.operations.get(newId(), "a")).toBeUndefined();
  });

  describe("refuses tables that no published release has made", () => {
    const sentence = (schema: string) =>
      `Schema ${schema} was made by an unpublished version of async-request-reply. Drop it with \`drop schema ${schema} cascade\`, ` +
      "and make it again.";

    /** The parts of an unpublished schema that this release has too. */
    async function openUnpublished(migrate: "auto" | "manual") {
      const backend = server.openOwn({ migrate });
      const { schema } = backend;
      await server.pool.query(
        `create schema ${schema};
         create table ${schema}.migrations (version integer primary key, applied_at timestamptz not null default now());
         insert into ${schema}.migrations (version) values (1);
         create table ${schema}.operations (id uuid primary key, input text);
         create function ${schema}.now_v1() returns timestamptz language sql as 'select now()'`,
      );
      return backend;
    }

    it.each(["auto", "manual"] as const)("in check(), with migrate: %s", async (migrate) => {
      const backend = await openUnpublished(migrate);
      await expectMisconfigured(backend, sentence(backend.schema));
    });

    it.each(["auto", "manual"] as const)("at the first use, with migrate: %s", async (migrate) => {
      const { schema, operations, submissions } = await openUnpublished(migrate);
      const refused = { message: expect.stringContaining(sentence(schema)) };
      await expect(operations.get(newId(), "a")).rejects.toMatchObject(refused);
      await expect(submissions.record(newSubmission())).rejects.toMatchObject(refused);
    });

    it("in the caller's transaction, which stays usable", async () => {
      const backend = await openUnpublished("auto");
      const service = createOrderService({ backend });
      const tx = await server.pool.connect();
      try {
        await tx.query("begin");
        const submitting = service.submit(service.definitions[0], { itemId: "a", quantity: 1 }, { tx });
        await expect(submitting).rejects.toMatchObject({
          message: expect.stringContaining(sentence(backend.schema)),
        });
        expect((await tx.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      } finally {
        await tx.query("rollback");
        tx.release();
      }
    });

    it("in the SQL for migration tools, and changes nothing", async () => {
      const { schema } = await openUnpublished("manual");
      const [text = ""] = postgresMigrations(schema);
      await expect(server.pool.query(text)).rejects.toThrow(sentence(schema));
      expect(await versions(schema)).toEqual([{ version: 1 }]);
    });
  });

  it("keeps two schemas of one database apart", async () => {
    const [first, second] = [server.openOwn(), server.openOwn()];
    const submission = newSubmission({ key: "k" });
    expect(await first.submissions.record(newSubmission({ key: "k" }))).toEqual({ outcome: "created" });
    expect(await second.submissions.record(submission)).toEqual({ outcome: "created" });
    expect(await first.operations.get(submission.operation.id, "a")).toBeUndefined();
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
    ["pool", undefined],
    ["pool", {}],
    ["migrate", "never"],
    ["listen", "no"],
    ["pollIntervalMs", 0],
    ["statementTimeoutMs", 0],
    ["statementTimeoutMs", 2 ** 31],
    ["maxBatch", Number.NaN],
    ["maxInFlight", 1.5],
    ["maxWaiting", -1],
    ["maxWaitingBytes", Number.POSITIVE_INFINITY],
  ])("rejects a bad `%s` by name", (name, value) => {
    expect(() => createPostgresBackend({ pool: server.pool, [name]: value } as never)).toThrow(
      `Option \`${name}\``,
    );
  });
});

import { expect, it } from "vitest";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { countFailures } from "./intercepted-statements.js";
import { begin, newId, newOperation } from "./submissions.js";
import { openTestPool } from "./test-pool.js";

const PAIRS = 3_000;

async function failed({ operations }: Opened, retentionMs = 60_000) {
  const operation = newOperation({ retentionMs });
  await operations.create(operation);
  await operations.requestCancel(operation.id, "a");
  return operation.id;
}

/** Runs a failed operation again. Returns the id of its successor. */
async function redriven({ operations }: Opened, id: string) {
  const successor = { id: newId(), onEndId: newId() };
  await operations.redrive(id, successor);
  return successor.id;
}

await describePostgres("running a failed operation again in Postgres", (server) => {
  it("creates one successor for concurrent redrives from many processes", async () => {
    const backend = server.open();
    const id = await failed(backend);
    const pools = Array.from({ length: 10 }, () => openTestPool({ max: 1 }));
    const others = pools.map((pool) => server.open({ schema: backend.schema, pool }));
    const answers = await Promise.all(
      others.map(({ operations }) => operations.redrive(id, { id: newId(), onEndId: newId() })),
    );
    expect(answers.filter((answer) => answer?.outcome === "redriven" && answer.created)).toHaveLength(1);
    const successors = new Set(answers.map((answer) => answer?.outcome === "redriven" && answer.operationId));
    const [{ retriedBy } = {}] = await backend.operations.getMany([id]);
    expect([...successors]).toEqual([retriedBy]);
    expect(await backend.operations.list({ limit: 10 })).toHaveLength(2);
  });

  it("keeps the failed operation as long as the row of its successor, even if a user deletes that row", async () => {
    const backend = server.open();
    const id = await failed(backend, 0);
    const successor = await redriven(backend, id);
    expect(await backend.submissions.purge({ limit: 10 })).toBe(0);
    await server.pool.query(`delete from ${backend.schema}.operations where id = $1`, [successor]);
    await server.pool.query(`update ${backend.schema}.operations set expires_at = now() where id = $1`, [id]);
    expect(await backend.submissions.purge({ limit: 10 })).toBe(1);
  });

  it("deletes both, one after the other, once the successor has expired", async () => {
    const backend = server.open();
    const id = await failed(backend, 0);
    const successor = await redriven(backend, id);
    await backend.operations.settle(await begin(backend, successor), { to: "completed" });
    expect(await backend.submissions.purge({ limit: 10 })).toBe(1);
    expect((await backend.operations.getMany([id, successor])).map((each) => each.id)).toEqual([id]);
    expect(await backend.submissions.purge({ limit: 10 })).toBe(1);
  });

  it("purges failed operations and their successors from four processes without a deadlock", async () => {
    const { operations, schema } = server.open();
    await operations.get(newId(), "a");
    const columns = "id, tenant, definition, state, input, retention_ms, created_at, settled_at, expires_at";
    const ended = (id: string) =>
      `lpad(to_hex(${id}), 32, '0')::uuid, 'a', 'd', 'failed', '1', 0, now(), now(), now() - (${id}) * 7919 % 1000 * interval '1 ms'`;
    await server.pool.query(`
      insert into ${schema}.operations (${columns}, retried_by)
        select ${ended("n")}, lpad(to_hex(n + ${PAIRS}), 32, '0')::uuid from generate_series(1, ${PAIRS}) n;
      insert into ${schema}.operations (${columns}, retry_of)
        select ${ended(`n + ${PAIRS}`)}, lpad(to_hex(n), 32, '0')::uuid from generate_series(1, ${PAIRS}) n;`);
    const count = async () => {
      const { rows } = await server.pool.query<{ count: string }>(
        `select count(*) from ${schema}.operations`,
      );
      return Number(rows[0]?.count);
    };
    const pools = Array.from({ length: 4 }, () => openTestPool({ max: 1 }));
    const counted = pools.map((pool) => countFailures(pool, ({ code }) => code === "40P01"));
    let purged = 0;
    const purge = async ({ submissions }: Opened) => {
      while (purged < 2 * PAIRS) {
        const count = await submissions.purge({ limit: 500 });
        purged += count;
      }
    };
    await Promise.all(counted.map(({ pool }) => purge(server.open({ schema, pool }))));
    const deadlocks = counted.map(({ failures }) => failures.count);
    expect({ deadlocks, purged, left: await count() }).toEqual({
      deadlocks: [0, 0, 0, 0],
      purged: 2 * PAIRS,
      left: 0,
    });
  });
});

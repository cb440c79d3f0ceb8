import type { NewOperation } from "async-request-reply/ports";
import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { claimOnRing } from "../../support/claims.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { newOperation, openMigrated } from "./submissions.js";

/** Longer than any test, so that polling finds nothing. */
const pollIntervalMs = 600_000;

type Process = Pick<PostgresBackend<PoolClient>, "queue" | "submissions">;

async function accept({ queue, submissions }: Process, ...operations: readonly NewOperation[]) {
  await Promise.all(operations.map((each) => submissions.record({ operation: each, fingerprint: "1:a" })));
  await queue.publish(operations.map(({ definition, id }) => ({ definition, operationId: id })));
}

function definitionsIn(message: string): readonly string[] {
  return (JSON.parse(message) as { readonly definitions?: readonly string[] }).definitions ?? [];
}

await describePostgres("other processes", (server) => {
  /** Opens the back ends of two processes. `notified` has the definitions of each notification from the first. */
  async function twoProcesses() {
    const notified: (readonly string[])[] = [];
    let looks = 0;
    const pool = interceptStatements(server.pool, async ({ text, values }, run) => {
      if (/claim_v1/.test(text)) looks += 1;
      const [, messages = []] = (values ?? []) as [string?, (readonly string[])?];
      if (/pg_notify/.test(text) && !/^changed/.test(String(values?.[0])))
        notified.push(...messages.map(definitionsIn));
      return run();
    });
    const schema = server.newSchema();
    const there = await openMigrated(server, { schema, pollIntervalMs });
    const here = createPostgresBackend({ pool, schema, pollIntervalMs, migrate: "manual" });
    /** Lets a worker of the first process wait. Once it does, `claimed` has the promise of what it begins. */
    const waitHere = async (limit: number) => {
      const before = looks;
      const claimed = claimOnRing(here, { limit });
      // Once at first, and for the first time once more when it listens.
      await expect.poll(() => looks).toBe(before === 0 ? 2 : before + 1);
      return { claimed };
    };
    onTestFinished(async () => {
      await here.close();
      await there.close();
    });
    return { here, there, notified, waitHere, waitThere: () => claimOnRing(there) };
  }

  it("are hardly ever notified of new operations that this process takes at once", async () => {
    const { here, notified, waitHere } = await twoProcesses();
    for (let round = 0; round < 20; round += 1) {
      const { claimed } = await waitHere(10);
      const wanted = newOperation();
      await accept(here, wanted);
      expect(await claimed).toMatchObject([{ id: wanted.id }]);
    }
    // A receipt that takes longer than a few milliseconds, such as the first one, lets others be notified.
    expect(notified.length).toBeLessThan(10);
  });

  it("are notified although other notifications hold their lock for longer than a pool waits for locks", async () => {
    const pool = openPool({ options: "-c lock_timeout=1ms" });
    const { queue } = server.open({ pool });
    let busy = true;
    // Each commit has a transaction id, so that it waits for the disk, and other notifications wait for it.
    const others = Array.from({ length: 8 }, async () => {
      while (busy)
        await server.pool.query(
          "select txid_current(), set_config('synchronous_commit', 'on', true), pg_notify('other', '')",
        );
    });
    try {
      for (let round = 0; round < 50; round += 1)
        await expect(queue.publish([{ definition: "orders" }])).resolves.toBeUndefined();
    } finally {
      busy = false;
      await Promise.all(others);
      await queue.close();
      await pool.end();
    }
  });

  it("are notified of new operations that this process has no room for", async () => {
    const { here, notified, waitHere, waitThere } = await twoProcesses();
    const { claimed } = await waitHere(1);
    const [first, second] = [newOperation(), newOperation()];
    await accept(here, first, second);
    const [mine] = await claimed;
    expect([first.id, second.id]).toContain(mine?.id);
    await expect.poll(() => notified).toEqual([["orders"]]);
    expect(await waitThere()).toHaveLength(1);
  });

  it("are notified when this process closes while it may still take a new operation", async () => {
    const { here, notified, waitHere } = await twoProcesses();
    const { claimed } = await waitHere(1);
    await accept(here, newOperation(), newOperation());
    await here.close();
    await claimed;
    expect(notified).toEqual([["orders"]]);
  });

  it("get one more notification after those that follow each other too closely", async () => {
    const { here, there, notified, waitThere } = await twoProcesses();
    const claimed = waitThere();
    const wanted = newOperation();
    await there.operations.create(wanted);
    const names = Array.from({ length: 20 }, (_, index) => `other-${index}`);
    const published: Promise<void>[] = [];
    for (const name of [...names, "orders"]) {
      published.push(here.queue.publish([{ definition: name }]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(published);
    expect(await claimed).toMatchObject([{ id: wanted.id }]);
    expect(notified.flat()).toEqual([...names, "orders"]);
    expect(notified.length).toBeLessThan(names.length);
  });
});

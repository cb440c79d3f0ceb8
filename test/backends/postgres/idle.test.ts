import { createService, createWorker, defineOperation } from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished } from "vitest";
import { anything } from "../../support/careless-schema.js";
import { describePostgres } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";

const TENANT = "a";
const WAITING = 2_000;
const IDLE_MINUTES = 60;

await describePostgres("an idle worker", (server) => {
  /** A service with work that waits, and an idle worker. */
  async function stage() {
    const clock = createManualClock();
    const schema = server.newSchema();
    const statements: string[] = [];
    const unanswered = new Set<Promise<unknown>>();
    const pool = interceptStatements(server.pool, (statement, run) => {
      statements.push(statement.text);
      const answered = run().finally(() => unanswered.delete(answered));
      unanswered.add(answered);
      return answered;
    });
    const backend = createPostgresBackend({ pool, schema, runtime: { clock } });
    await backend.migrate();
    const definitions = [
      defineOperation({ name: "later", path: "/later", input: anything }),
      defineOperation({ name: "paused", path: "/paused", input: anything }),
    ] as const;
    const service = createService({ definitions, backend, runtime: { clock }, observe: false });
    const items = Array.from({ length: WAITING / 2 }, () => ({ input: 1 }));
    const later = items.map((item) => ({ ...item, delayMs: 3_600_000 }));
    await service.submitMany(definitions[0], later, { tenant: TENANT });
    await service.submitMany(definitions[1], items, { tenant: TENANT });
    await backend.operations.pause("paused");
    const worker = createWorker(service, { later: () => {}, paused: () => {} });
    onTestFinished(async () => {
      await worker.stop();
      await backend.close();
    });
    await worker.start();
    await expect.poll(() => statements.some((text) => text.includes("claim_v1"))).toBe(true);
    /** Lets this time pass, step by step. All answers of the server come before the next step. */
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1_000);
        do {
          await Promise.allSettled(unanswered);
          await server.pool.query("select 1");
        } while (unanswered.size > 0);
      }
    };
    return { pass, schema, statements };
  }

  it("sends at most 0.2 statements a second, one a minute of them for counts, and writes no row of work that waits", async () => {
    const { pass, schema, statements } = await stage();
    const updatesOf = async () => {
      await server.pool.query("select pg_stat_force_next_flush()");
      const { rows } = await server.pool.query(
        "select n_tup_upd::int as updates from pg_stat_user_tables where schemaname = $1 and relname = 'operations'",
        [schema],
      );
      return rows[0]?.updates;
    };
    await pass(60);
    const [before, updates] = [statements.length, await updatesOf()];
    await pass(IDLE_MINUTES * 60);
    const perSecond = (statements.length - before) / (IDLE_MINUTES * 60);
    expect(perSecond).toBeLessThanOrEqual(0.2);
    expect(await updatesOf()).toBe(updates);
  });
});

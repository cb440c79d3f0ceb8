import { allowAnonymous, createService, createWorker, defineOperation } from "async-request-reply";
import { expect, it } from "vitest";
import * as z from "zod";
import { interceptBackend } from "../../support/intercept-backend.js";
import { describePostgres } from "../../support/postgres/server.js";

const ATTEMPTS = 20;
const REPORTS = 200;

await describePostgres("progress in Postgres", (server) => {
  it("updates no index, and a row at most once in 250 ms, however often attempts report", async () => {
    const opened = server.open();
    let renewals = 0;
    const backend = interceptBackend(opened, ({ method }, proceed) => {
      if (method === "renew") renewals += 1;
      return proceed();
    });
    const definition = defineOperation({ name: "exports", path: "/exports", input: z.number() });
    const service = createService({ definitions: [definition], backend, authorize: allowAnonymous() });
    await Promise.all(
      Array.from({ length: ATTEMPTS }, (_, input) => service.submit(definition, input, { tenant: "a" })),
    );
    const durations: number[] = [];
    const worker = createWorker(
      service,
      {
        exports: async (_, job) => {
          const began = performance.now();
          for (let report = 0; report < REPORTS; report += 1) {
            job.progress(report);
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
          durations.push(performance.now() - began);
        },
      },
      { concurrency: ATTEMPTS },
    );
    await worker.runUntilIdle();
    expect(renewals).toBeGreaterThan(ATTEMPTS);
    expect(renewals).toBeLessThanOrEqual(durations.reduce((sum, ms) => sum + Math.ceil(ms / 250), 0));
    // Each attempt also begins and ends. A renewal updates nothing if its attempt has just ended.
    const most = renewals + 2 * ATTEMPTS;
    // Sessions report their counts late.
    await expect
      .poll(async () => (await updates(opened.schema)).all)
      .toBeGreaterThanOrEqual(most - ATTEMPTS / 4);
    expect((await updates(opened.schema)).all).toBeLessThanOrEqual(most);
    expect((await updates(opened.schema)).hot).toBeGreaterThan(renewals * 0.9);
  });

  /** Returns how many rows were updated, and how many of them without an index. */
  async function updates(schema: string): Promise<{ readonly all: number; readonly hot: number }> {
    const { rows } = await server.pool.query<{ all: string; hot: string }>(
      `select n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_user_tables
       where schemaname = $1 and relname = 'operations'`,
      [schema],
    );
    return { all: Number(rows[0]?.all ?? 0), hot: Number(rows[0]?.hot ?? 0) };
  }
});

import { createService, defineOperation } from "async-request-reply";
import { expect, it } from "vitest";
import * as z from "zod";
import { describePostgres } from "../../support/postgres/server.js";
import { openMigrated } from "./submissions.js";

const REFUSED = "refused";

await describePostgres("a limit of pending operations", (server) => {
  async function stage() {
    const { schema, ...backend } = await openMigrated(server);
    const jobs = defineOperation({ name: "jobs", path: "/jobs", input: z.int(), limits: { pending: 5 } });
    const service = createService({ definitions: [jobs], backend, observe: false });
    const submit = (number: number, tenant = "a") => service.submit(jobs, number, { tenant });
    // The first count.
    await submit(0);
    return { jobs, schema, service, submit };
  }

  const fill = async (submit: (number: number) => Promise<unknown>) => {
    let accepted = 0;
    for (; accepted < 10; accepted += 1) {
      const error = await submit(accepted).then(
        () => undefined,
        ({ code }) => code,
      );
      if (error === "BACKLOG_FULL") break;
    }
    return accepted;
  };

  it("keeps no places of a list whose transaction has ended", async () => {
    const { jobs, service, submit } = await stage();
    const tx = await server.pool.connect();
    const items = [1, 2, 3, 4].map((input) => ({ input }));
    try {
      const list = service.submitMany(jobs, items, { tenant: "a", tx });
      await expect(list).rejects.toMatchObject({ code: "INVALID_OPTION" });
    } finally {
      tx.release();
    }
    expect(await fill(submit)).toBe(4);
  });

  it.each([
    ["one at a time", 1],
    ["together", 2],
  ])("keeps no places of submissions that the database refuses, %s", async (_, together) => {
    const { schema, submit } = await stage();
    await server.pool.query(
      `alter table "${schema}".operations add constraint unwanted check (tenant <> '${REFUSED}')`,
    );
    for (let round = 0; round < 4; round += together)
      await Promise.all(
        Array.from({ length: together }, () =>
          expect(submit(round, REFUSED)).rejects.toMatchObject({ code: "INTERNAL" }),
        ),
      );
    expect(await fill(submit)).toBe(4);
  });
});

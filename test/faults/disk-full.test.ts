import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { canMountTmpfs } from "../support/tmpfs.js";
import type { FaultBench } from "./fault-bench.js";
import { startAll } from "./order-bench.js";
import { errorsOf } from "./order-processes.js";
import { idsOf, keysOf, newOrder, readOnce, send, sendAll, sendOnce } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describe.skipIf(!canMountTmpfs())("on a separate disk, which only root can mount:", () => {
  describeWithPostgres("a Postgres with a full disk (F19)", (installation) => {
    const bench = useFaultBench(installation, { diskMegabytes: 80 });

    it("leads to 503 without half-written operations, and recovers when space is freed", async () => {
      // Both processes run throughout. Neither is restarted when space is freed.
      const [api] = await startAll(bench(), ["api", "worker"]);
      const before = await sendAll(keysOf("before", 50), () => api.baseUrl);
      await bench().untilTerminal();
      await fillDisk(bench());
      const orders = keysOf("full", 1_000).map(newOrder);
      // The first orders still fit into existing pages.
      const statuses: number[] = [];
      for (const order of orders) {
        const status = await sendOnce(order, api.baseUrl, { itemId: `${order.key}-${"x".repeat(200)}` });
        statuses.push(status);
        if (status !== 202) break;
      }
      expect(statuses.at(-1)).toBe(503);
      const tried = orders.slice(0, statuses.length);
      // Other problem types also use 503, so the status alone would not be enough.
      expect(tried.at(-1)).toMatchObject({ problems: [problemType("unavailable")], missingRetryAfter: 0 });
      expect(errorsOf(api).at(-1)).toContain("The store is full.");
      expect(await bench().operations()).toHaveLength(before.length + idsOf(...tried).length);
      const readKnown = () => Promise.all(idsOf(...before).map((id) => readOnce(id, api.baseUrl)));
      const reads = await readKnown();
      expect(reads.filter((read) => typeof read === "number" && read !== 503)).toEqual([]);

      await bench().postgres.query("DROP TABLE filling");
      const after = await Promise.all(
        tried.map(({ key }) => send(key, () => api.baseUrl, { itemId: `${key}-${"x".repeat(200)}` })),
      );
      await bench().expectCompleted([...before, ...after]);
      expect(after.filter(({ operationIds }) => operationIds.size !== 1)).toEqual([]);
      expect((await readKnown()).filter((read) => typeof read === "number")).toEqual([]);
    });
  });
});

async function fillDisk({ postgres }: FaultBench): Promise<void> {
  await postgres.query("CREATE TABLE filling (text text)");
  for (const rows of [10_000, 1_000, 100, 10, 1]) {
    const insert = `INSERT INTO filling SELECT repeat('x', 1000) FROM generate_series(1, ${rows})`;
    while (await succeeds(postgres.query(insert)));
  }
}

function succeeds(query: Promise<unknown>): Promise<boolean> {
  return query.then(
    () => true,
    (error: { readonly code?: string }) => {
      if (error.code !== "53100") throw error;
      return false;
    },
  );
}

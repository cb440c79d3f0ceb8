import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startAll } from "./order-bench.js";
import { stopAll } from "./order-processes.js";
import { alternate, keysOf, sendAll, statusesOf } from "./orders.js";
import { openSqliteBench, type SqliteBench } from "./sqlite-bench.js";
import { useSqliteBench } from "./use-fault-bench.js";

/** Sends orders and runs their work while `act` runs. */
async function underLoad(bench: SqliteBench, prefix: string, act: () => Promise<void>) {
  const processes = await startAll(bench, ["api", "api", "worker"]);
  const [one, other, worker] = processes;
  const sending = sendAll(keysOf(prefix, 400), alternate([one, other]));
  await vi.waitUntil(() => worker.begun.length > 20);
  await act();
  return { sent: await sending, processes };
}

describe("an SQLite file that an operator", () => {
  const bench = useSqliteBench();

  it.each([
    ["compacts", "vacuum"],
    ["checkpoints", "pragma wal_checkpoint(full)"],
    ["analyzes", "analyze"],
  ])("%s under load loses nothing, and clients see no error", async (name, sql) => {
    const user = bench().user();
    const { sent, processes } = await underLoad(bench(), name, async () => {
      for (let round = 0; round < 5; round += 1) await user.run(sql);
    });
    await bench().expectCompleted(sent);
    expect(statusesOf(sent)).toEqual(new Set([202]));
    await stopAll(processes);
    await bench().expectIntact();
  });
});

describe("a backup of an SQLite file that was taken under load", () => {
  const bench = useSqliteBench();

  it("is consistent, and the pending work in it runs after it is restored (F23)", async () => {
    const backup = join(bench().folder, "backup.db");
    const { processes } = await underLoad(bench(), "before", () =>
      bench().user().run(`vacuum into '${backup}'`),
    );
    await stopAll(processes);
    const restored = openSqliteBench({ backup });
    onTestFinished(restored.close);
    const before = await restored.operations();
    const unfinished = before.filter(({ state }) => state === "pending");
    expect(unfinished.length).toBeGreaterThan(0);
    expect(before.length).toBeGreaterThan(unfinished.length);
    await restored.start({ role: "worker" });
    await restored.untilTerminal();
    const after = await restored.operations();
    expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
    expect(after.filter(({ state }) => state !== "completed")).toEqual([]);
    // Work that ended before the backup does not run again.
    const ran = (await restored.effects()).map(({ operationId }) => operationId);
    expect(new Set(ran)).toEqual(new Set(unfinished.map(({ id }) => id)));
    await restored.expectIntact();
  });
});

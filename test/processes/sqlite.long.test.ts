import type { ChildProcess } from "node:child_process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeClients } from "../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../support/sqlite/database-files.js";
import { type ChildMessage, createSqliteProcesses, type SqliteProcesses } from "./sqlite-processes.js";
import { until } from "./worker-pool.js";

const ORDERS = Number(process.env.SQLITE_ORDERS ?? 1_000);

/** Numbers that look random and are the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describeClients("processes that share an SQLite file", (client) => {
  let file: DatabaseFile;
  let processes: SqliteProcesses;
  let messages: ChildMessage[];
  const accepted = new Map<string, string>();

  beforeEach(() => {
    file = newDatabaseFile(client);
    messages = [];
    accepted.clear();
    processes = createSqliteProcesses(client.name, file.path, (message) => {
      messages.push(message);
      if ("accepted" in message) accepted.set(message.accepted, message.id);
    });
  });
  afterEach(async () => {
    await processes.close();
    await file.remove();
  });

  it.skipIf(client.name === "node:sqlite")(
    "wake up an idle worker of another process, and notify watchers of other processes of the end",
    async () => {
      await processes.start("worker");
      const api = await processes.start("api");
      const backend = file.open({ pollIntervalMs: 60_000 });
      const changed = new Set<string>();
      const stop = backend.operations.watch?.((id) => changed.add(String(id)));
      await backend.check();
      api.send({ keys: ["first"] });
      await until(() => accepted.has("first") && changed.has(accepted.get("first") ?? ""));
      await until(
        async () =>
          (await backend.operations.get(accepted.get("first") ?? "", "anonymous"))?.state === "completed",
      );
      stop?.();
      expect(messages.filter((message) => "ran" in message)).toHaveLength(1);
    },
  );

  it.skipIf(client.name === "node:sqlite")(
    `lose none of ${ORDERS} acknowledged orders and double none while they are killed at random (F1, F2)`,
    { timeout: 1_800_000 },
    async () => {
      const random = createRandom(7);
      const keys = Array.from({ length: ORDERS }, (_, index) => `order-${index}`);
      const children: (readonly ["api" | "worker", ChildProcess])[] = [];
      for (const role of ["api", "api", "worker", "worker"] as const)
        children.push([role, await processes.start(role)]);
      const submitMissing = (api: ChildProcess): void => {
        const missing = keys.filter((key) => !accepted.has(key));
        const start = Math.floor(random() * missing.length);
        api.send({ keys: [...missing.slice(start), ...missing.slice(0, start)].slice(0, 500) }, () => {});
      };
      let kills = 0;
      for (const [role, child] of children) if (role === "api") submitMissing(child);
      while (accepted.size < ORDERS || kills < 12) {
        await new Promise((resolve) => setTimeout(resolve, 50 + random() * 250));
        const index = Math.floor(random() * children.length);
        const [role, child] = children[index] as (typeof children)[number];
        await processes.kill(child);
        kills += 1;
        const next = await processes.start(role);
        children[index] = [role, next];
        if (role === "api") submitMissing(next);
      }
      expect(messages.filter((message) => "refused" in message)).toEqual([]);
      const backend = file.open();
      const unfinished = async (): Promise<number> => {
        const [stats] = await backend.operations.stats({ definitions: ["orders"] });
        return (stats?.due.count ?? 0) + (stats?.running.count ?? 0) + (stats?.scheduled.count ?? 0);
      };
      await until(async () => (await unfinished()) === 0);
      const listed = await backend.operations.list({ limit: ORDERS * 2 });
      expect(listed).toHaveLength(ORDERS);
      expect(listed.filter(({ state }) => state !== "completed")).toEqual([]);
      expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(accepted.values()));
      const database = file.connect();
      expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    },
  );
});

import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createRandom } from "../support/random.js";
import { describeClients } from "../support/sqlite/clients.js";
import { until } from "./children.js";
import { createScene } from "./sqlite-scene.js";

const ORDERS = Number(process.env.SQLITE_ORDERS ?? 1_000);

describeClients("processes that share an SQLite file", (client) => {
  it.skipIf(client.name === "node:sqlite")(
    "wake up an idle worker of another process, and notify watchers of other processes of the end",
    async () => {
      const { file, messages, accepted, start } = createScene(client);
      await start("worker");
      const api = await start("api");
      const backend = file.open({ pollIntervalMs: 60_000 });
      const changed = new Set<string>();
      const stop = backend.operations.watch?.((id) => changed.add(String(id)));
      await backend.check();
      api.send({ keys: ["first"] });
      await until(() => accepted.has("first") && changed.has(accepted.get("first") ?? ""));
      const read = () => backend.operations.get(accepted.get("first") ?? "", "anonymous");
      await until(async () => (await read())?.state === "completed");
      stop?.();
      expect(messages.filter((message) => "ran" in message)).toHaveLength(1);
    },
  );

  it.skipIf(client.name === "node:sqlite")(
    `lose none of ${ORDERS} acknowledged orders and double none while they are killed at random (F1, F2)`,
    { timeout: 1_800_000 },
    async () => {
      const { file, messages, accepted, start, kill } = createScene(client);
      const random = createRandom(7);
      const keys = Array.from({ length: ORDERS }, (_, index) => `order-${index}`);
      const children: (readonly ["api" | "worker", ChildProcess])[] = [];
      for (const role of ["api", "api", "worker", "worker"] as const)
        children.push([role, await start(role)]);
      const submitMissing = (api: ChildProcess): void => {
        const missing = keys.filter((key) => !accepted.has(key));
        const first = random.below(missing.length);
        api.send({ keys: [...missing.slice(first), ...missing.slice(0, first)].slice(0, 500) }, () => {});
      };
      let kills = 0;
      for (const [role, child] of children) if (role === "api") submitMissing(child);
      while (accepted.size < ORDERS || kills < 12) {
        await sleep(50 + random.below(250));
        const index = random.below(children.length);
        const [role, child] = children[index] as (typeof children)[number];
        await kill(child);
        kills += 1;
        const next = await start(role);
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

import { once } from "node:events";
import { expect, it } from "vitest";
import { describeClients } from "../support/sqlite/clients.js";
import { until } from "./children.js";
import { createScene } from "./sqlite-scene.js";

/** Orders whose processes die in the function of their transaction, after its commit, or not at all. */
const KEYS = ["dies-within", "dies-after", "lives"].flatMap((kind) => [0, 1, 2].map((n) => `${kind}-${n}`));

describeClients(
  "processes that work in transactions on an SQLite file",
  (client) => {
    it("write the effect of each order once, although they are killed within and right after transactions (F1, F2)", async () => {
      const { file, accepted, start } = createScene(client);
      const api = await start("api");
      api.send({ keys: KEYS });
      await until(() => accepted.size === KEYS.length);
      const database = file.connect();
      database.exec("create table effects (operation_id text, item text)");
      const backend = file.open();
      let deaths = 0;
      let isOver = false;
      const keepOne = async (): Promise<void> => {
        while (!isOver) {
          const child = await start("transactor");
          if (isOver) return;
          await Promise.race([once(child, "exit"), until(() => isOver)]);
          if (!isOver) deaths += 1;
        }
      };
      const kept = [keepOne(), keepOne()];
      const unfinished = async (): Promise<number> =>
        (await backend.operations.list({ limit: 100, state: "pending" })).length;
      await until(async () => (await unfinished()) === 0 && deaths >= 6);
      isOver = true;
      await Promise.all(kept);
      const effects = database.prepare("select operation_id as id from effects").all() as { id: string }[];
      expect(effects.map(({ id }) => id).sort()).toEqual([...accepted.values()].sort());
      const listed = await backend.operations.list({ limit: 100 });
      expect(listed.map(({ state }) => state)).toEqual(KEYS.map(() => "completed"));
      expect(deaths).toBe(6);
    });
  },
  ["better-sqlite3", "libsql"],
);

import { setTimeout as sleep } from "node:timers/promises";
import { createOrderService, type RunSummary } from "async-request-reply";
import { expect, it, onTestFinished } from "vitest";
import { describeClients } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { createChildren } from "./children.js";

const ORDERS = 200;
/** Orders take up to this long. Milliseconds. */
const LONGEST_MS = 400;
const MAX_ROUNDS = 60;

describeClients(
  "functions that are killed at their limit",
  (client) => {
    async function createScene() {
      const file = newDatabaseFile(client);
      onTestFinished(() => file.remove());
      const backend = file.open();
      await backend.check();
      const database = file.connect();
      database.exec("create table effects (operation text)");
      const service = createOrderService({ backend, observe: false });
      const [orders] = service.definitions;
      const ids: string[] = [];
      for (let order = 0; order < ORDERS; order += 1) {
        const quantity = 1 + ((order * 37) % LONGEST_MS);
        ids.push((await service.submit(orders, { itemId: "book", quantity })).operationId);
      }
      const operations = () => Promise.all(ids.map((id) => backend.operations.get(id, "default")));
      return {
        ids,
        operations,
        /** Calls a function and kills its process. Returns the summary if there was one. */
        call: async (maxMs: number, killAfterMs: number) => {
          let summary: RunSummary | undefined;
          const { start, kill } = createChildren<{ summary: RunSummary }>("function-child.mjs", (message) => {
            summary = message.summary;
          });
          const child = await start(client.name, file.path, String(maxMs));
          await sleep(killAfterMs);
          await kill(child);
          return summary;
        },
        isDone: async () => (await operations()).every((operation) => operation?.state === "completed"),
        effects: () => {
          const rows = database.prepare("select operation as id from effects order by 1").all();
          return (rows as { id: string }[]).map(({ id }) => id);
        },
      };
    }

    it("lose nothing, double nothing and count nothing, if their runs end before the limit", async () => {
      const { ids, operations, isDone, effects, call } = await createScene();
      let released = 0;
      for (let round = 0; round < MAX_ROUNDS && !(await isDone()); round += 1) {
        const summaries = await Promise.all([call(800, 1_500), call(800, 1_500)]);
        for (const summary of summaries) {
          expect(summary).toBeDefined();
          released += summary?.released ?? 0;
        }
      }
      expect(released).toBeGreaterThan(0);
      expect((await operations()).map((operation) => operation?.attempt)).toEqual(ids.map(() => 1));
      expect(effects()).toEqual(ids.toSorted());
    });

    it("lose nothing and double nothing, if they are killed before their runs end", async () => {
      const { ids, isDone, effects, call } = await createScene();
      for (let round = 0; round < 10; round += 1) {
        const killAfterMs = 100 + ((round * 83) % 500);
        const summaries = await Promise.all([call(60_000, killAfterMs), call(60_000, killAfterMs)]);
        expect(summaries).toEqual([undefined, undefined]);
      }
      // The leases of the last ones end after a second.
      while (!(await isDone())) await call(2_000, 2_500);
      expect(effects()).toEqual(ids.toSorted());
    });
  },
  ["better-sqlite3"],
);

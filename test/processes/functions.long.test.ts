import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createOrderService, type RunSummary } from "async-request-reply";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeClients } from "../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../support/sqlite/database-files.js";

const ORDERS = 200;
/** Orders take up to this long. Milliseconds. */
const LONGEST_MS = 400;
const MAX_ROUNDS = 60;

describeClients(
  "functions that are killed at their limit",
  (client) => {
    let file: DatabaseFile;
    beforeEach(() => {
      file = newDatabaseFile(client);
    });
    afterEach(() => file.remove());

    async function createScene() {
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
        isDone: async () => (await operations()).every((operation) => operation?.state === "completed"),
        effects: () =>
          database
            .prepare("select operation from effects order by operation")
            .all()
            .map((row) => (row as { operation: string }).operation),
      };
    }

    /** Calls a function and kills its process. Returns the summary if there was one. */
    async function call(maxMs: number, killAfterMs: number): Promise<RunSummary | undefined> {
      const child: ChildProcess = fork(new URL("function-child.mjs", import.meta.url), [
        client.name,
        file.path,
        String(maxMs),
      ]);
      let summary: RunSummary | undefined;
      child.on("message", (message: { readonly summary?: RunSummary }) => {
        summary = message.summary ?? summary;
      });
      await once(child, "message");
      await sleep(killAfterMs);
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      return summary;
    }

    it("lose nothing, double nothing and count nothing, if their runs end before the limit", async () => {
      const { ids, operations, isDone, effects } = await createScene();
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
      const { ids, isDone, effects } = await createScene();
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

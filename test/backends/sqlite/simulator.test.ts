import { withStores } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { type CreateBackend, simulate } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { describeClients, type OpenDatabase } from "./clients.js";

const HISTORIES = Number(process.env.SQLITE_HISTORIES ?? 150);
const FIRST_SEED = Number(process.env.SQLITE_SEED ?? 1);

describeClients("the simulator on an SQLite database", (client) => {
  it.each([
    ["recorded in one step", false],
    ["recorded one after the other", true],
  ])(
    `finds no violation in ${HISTORIES} histories from seed ${FIRST_SEED}, with key and operation %s`,
    { timeout: 600_000 },
    async (_, composed) => {
      let played = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
        const databases: OpenDatabase[] = [];
        const create: CreateBackend = (clock) => {
          const database = client.open(":memory:");
          databases.push(database);
          const backend = createSqliteBackend({ database, runtime: { clock } });
          return composed ? withStores(backend, {}) : backend;
        };
        await simulate(create, { seed });
        for (const database of databases) database.close();
        played += 1;
      }
      expect(played).toBe(HISTORIES);
    },
  );
});

import { type Backend, type Clock, withStores } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { simulate } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { effort } from "../../effort.js";
import { describeClients, type SqliteClient } from "./clients.js";
import { newDatabaseFile } from "./database-files.js";
import { inTurn } from "./in-turn.js";

const HISTORIES = Number(process.env.SQLITE_HISTORIES ?? effort(10, 300));
const FIRST_SEED = Number(process.env.SQLITE_SEED ?? 1);

/** A back end of one history. */
interface Simulated {
  readonly backend: Backend;
  close(): Promise<void>;
}

function inMemory(client: SqliteClient, clock: Clock): Simulated {
  const database = client.open(":memory:");
  const backend = createSqliteBackend({ database, runtime: { clock } });
  return { backend, close: async () => void database.close() };
}

function composed(client: SqliteClient, clock: Clock): Simulated {
  const { backend, close } = inMemory(client, clock);
  return { backend: withStores(backend, {}), close };
}

function onThreeConnections(client: SqliteClient, clock: Clock): Simulated {
  const file = newDatabaseFile(client);
  const connections = [file.connect(), file.connect(), file.connect()];
  for (const connection of connections) connection.exec("pragma synchronous = off");
  const backend = createSqliteBackend({
    database: inTurn(connections),
    synchronous: "normal",
    runtime: { clock },
  });
  return { backend, close: () => file.remove() };
}

describeClients("the simulator on an SQLite database", (client) => {
  it.each([
    ["with key and operation recorded in one step", inMemory],
    ["with key and operation recorded one after the other", composed],
    ["on three connections to one file", onThreeConnections],
  ] as const)(
    `finds no violation in ${HISTORIES} histories from seed ${FIRST_SEED}, %s`,
    { timeout: 3_600_000 },
    async (_, open) => {
      let played = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
        const opened: Simulated[] = [];
        await simulate(
          (clock) => {
            const simulated = open(client, clock);
            opened.push(simulated);
            return simulated.backend;
          },
          { seed },
        );
        for (const each of opened) await each.close();
        played += 1;
      }
      expect(played).toBe(HISTORIES);
    },
  );
});

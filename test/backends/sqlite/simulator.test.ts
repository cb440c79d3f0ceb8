import type { Clock } from "async-request-reply";
import { createSqliteBackend, type SqliteDatabase } from "async-request-reply/sqlite";
import {
  type SimulatedBackend,
  type SynchronousUserTransactions,
  simulate,
} from "async-request-reply/testing";
import { expect, it } from "vitest";
import { effort, FIRST_SEED as FIRST } from "../../support/effort.js";
import { describeClients, type SqliteClient } from "../../support/sqlite/clients.js";
import { newDatabaseFile } from "../../support/sqlite/database-files.js";
import { inTurn } from "./in-turn.js";

const HISTORIES = Number(process.env.SQLITE_HISTORIES ?? effort(3, 10, 1_000));
const FIRST_SEED = Number(process.env.SQLITE_SEED ?? FIRST);
/** Seeds decide the kind of a history, such as whether it has webhooks. With this step, the first three differ in all. */
const STEP = 11;
const SEEDS = Array.from({ length: HISTORIES }, (_, index) => FIRST_SEED + index * STEP);

/** A back end of one history. */
interface Simulated {
  readonly created: SimulatedBackend;
  close(): Promise<void>;
}

/** Returns transactions of the user, whose effects are rows. */
function transactionsOn(database: SqliteDatabase): SynchronousUserTransactions<SqliteDatabase> {
  const run = (sql: string, ...values: string[]) => database.prepare(sql).run(...(values as never[]));
  run("create table effects (effect text)");
  return {
    run: (work) => {
      database.exec("begin immediate");
      try {
        const result = work(database);
        run("commit");
        return result;
      } catch (error) {
        run("rollback");
        throw error;
      }
    },
    write: (_, effect) => void run("insert into effects values (?)", effect),
    written: () =>
      database
        .prepare("select effect from effects")
        .all()
        .map((row) => (row as { effect: string }).effect),
  };
}

function inMemory(client: SqliteClient, clock: Clock) {
  const database = client.open(":memory:");
  const backend = createSqliteBackend({ database, runtime: { clock } });
  const created = { backend, synchronous: transactionsOn(database) };
  return { created, close: async () => void database.close() };
}

function withoutTransactions(client: SqliteClient, clock: Clock) {
  const database = client.open(":memory:");
  const created = createSqliteBackend({ database, runtime: { clock } });
  return { created, close: async () => void database.close() };
}

function onThreeConnections(client: SqliteClient, clock: Clock) {
  const file = newDatabaseFile(client);
  const connections = [file.connect(), file.connect(), file.connect()];
  for (const connection of connections) connection.exec("pragma synchronous = off");
  const database = inTurn(connections);
  const backend = createSqliteBackend({ database, synchronous: "normal", runtime: { clock } });
  const created = { backend, synchronous: transactionsOn(database) };
  return { created, close: () => file.remove() };
}

describeClients("the simulator on an SQLite database", (client) => {
  it.each([
    ["with transactions", inMemory],
    ["without transactions", withoutTransactions],
    ["with transactions, on three connections to one file", onThreeConnections],
  ] as const)(
    `finds no violation in ${HISTORIES} histories from seed ${FIRST_SEED}, %s`,
    { timeout: 3_600_000 },
    async (_, open) => {
      let played = 0;
      for (const seed of SEEDS) {
        const opened: Simulated[] = [];
        await simulate(
          (clock) => {
            const simulated = open(client, clock);
            opened.push(simulated);
            return simulated.created;
          },
          { seed, turns: true, counts: seed % 2 === 0 },
        );
        for (const each of opened) await each.close();
        played += 1;
      }
      expect(played).toBe(HISTORIES);
    },
  );
});

import { countOf, emptied, openDatabase, waitForTheDisk } from "./database.mjs";

/** One prepared INSERT and one commit per operation, into a table with only a primary key. */
export async function open() {
  const { database, close } = openDatabase();
  waitForTheDisk(database);
  database.exec(`create table plain (id text primary key, tenant text not null, definition text not null,
    key text not null, fingerprint text not null, input text not null)`);
  const insert = database.prepare("insert into plain values (?, ?, ?, ?, ?, ?)");
  return {
    accept: async ({ id, tenant, definition, key, fingerprint, input }) =>
      insert.run(id, tenant, definition, key, fingerprint, input),
    reset: () => emptied(database, "plain"),
    accepted: () => countOf(database, "plain"),
    close,
  };
}

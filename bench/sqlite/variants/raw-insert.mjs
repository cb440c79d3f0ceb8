import { load } from "../../against/build.mjs";
import { countOf, emptied, openDatabase, waitForTheDisk } from "./database.mjs";

const { createSqliteBackend } = await load("sqlite");

const PLAIN = {
  table: "plain",
  create: `create table plain (id text primary key, tenant text not null, definition text not null,
    key text not null, fingerprint text not null, input text not null)`,
  insert: "insert into plain values ($id, $tenant, $definition, $key, $fingerprint, $input)",
};
/** The row of a new operation in the table of the product, with all its indexes. */
const SAME_ROW = {
  table: "arr_operations",
  insert: `insert into arr_operations (id, tenant, definition, key, key_hash, fingerprint, state, hidden, attempt,
      lease_ends_at, due_at, previous_lost, cancel_requested, not_before, was_pending, created_at,
      retention_ms, input)
    values ($id, $tenant, $definition, $key, $hash, $fingerprint, 'pending', 0, 0,
      $now, $now, 0, 0, $now, 1, $now, 86400000, $input)`,
};

/** One prepared INSERT and one commit per operation. With `sameRow`, into the table of the product. */
export async function open({ sameRow = false }) {
  const { database, close } = openDatabase();
  const { table, create, insert: text } = sameRow ? SAME_ROW : PLAIN;
  if (create === undefined) await createSqliteBackend({ database }).check();
  else database.exec(create);
  waitForTheDisk(database);
  const insert = database.prepare(text);
  let sequence = 0;
  return {
    accept: async ({ id, tenant, definition, key, fingerprint, input }) => {
      sequence += 1;
      // Entries of the index over the hashes have no order.
      const hash = (sequence * 0x9e3779b97f4) % 2 ** 48;
      const row = { id, tenant, definition, key, fingerprint, input };
      insert.run(sameRow ? { ...row, hash, now: Date.now() } : row);
    },
    reset: () => emptied(database, table),
    accepted: () => countOf(database, table),
    close,
  };
}

import { createPostgresBackend } from "../../../dist/postgres.js";
import { countOf, createPool, emptied, prepared } from "./pool.mjs";

const COLUMNS = "id, tenant, definition, key, fingerprint, input";
const insertPlain = prepared("insert", `insert into plain (${COLUMNS}) values ($1, $2, $3, $4, $5, $6)`);
const insertSame = prepared(
  "insert",
  `insert into same (${COLUMNS}, bound, state, due_at, created_at, retention_ms)
   values ($1, $2, $3, $4, $5, $6, true, 'pending', now(), now(), 86400000)`,
);

/**
 * One prepared INSERT and one commit per operation. The table has only a primary key or, with `sameRow`, the columns and
 * indexes of the product.
 */
export async function open({ url, sameRow }) {
  const pool = createPool(url);
  const table = sameRow ? "same" : "plain";
  if (sameRow) {
    await createPostgresBackend({ pool, schema: "shape" }).migrate();
    await pool.query("create table same (like shape.operations including all)");
  } else {
    await pool.query(`create table plain (id uuid primary key, tenant text not null, definition text not null,
      key text not null, fingerprint text not null, input text not null)`);
  }
  const insert = sameRow ? insertSame : insertPlain;
  return {
    accept: ({ id, tenant, definition, key, fingerprint, input }) =>
      pool.query(insert([id, tenant, definition, key, fingerprint, input])),
    reset: () => emptied(pool, table),
    accepted: () => countOf(pool, table),
    close: () => pool.end(),
  };
}

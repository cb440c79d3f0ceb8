import { randomUUID } from "node:crypto";
import { DEFINITION, newOrder } from "../inside/orders.mjs";
import { administration, sqlIds } from "./administration.mjs";
import { batched } from "./batched.mjs";
import { countOf, createPool, emptied, indexScansOnly } from "./pool.mjs";

const COLUMNS = ["id", "tenant", "definition", "key", "fingerprint", "input"];

/** One layout of operations, keys and due work, with group commit by hand. */
export async function openLayout({ url, rows }, { tables, create, fill, due, statements }) {
  const pool = createPool(url, indexScansOnly);
  const { record, claim, complete, purge } = statements;
  await create(pool);
  const own = administration(pool, tables);
  if (rows > 0) {
    const { tenant, definition, fingerprint, input } = newOrder();
    const text = fill(sqlIds.v7, "now() - (1000001 - i) * interval '100 ms'", rows);
    await pool.query(text, [tenant, definition, fingerprint, input]);
    await own.vacuum();
  }
  const countDue = () => countOf(pool, due);
  return {
    ...own,
    accept: batched((orders) =>
      pool.query(record(COLUMNS.map((name) => orders.map((order) => order[name])))),
    ),
    reset: () => (rows > 0 ? own.checkpoint() : emptied(pool, ...tables)),
    accepted: countDue,
    due: countDue,
    claim: async (limit) => {
      const token = randomUUID();
      const result = await pool.query(claim([DEFINITION, limit, token]));
      return result.rows.map(({ id }) => ({ id, token }));
    },
    complete: async (claimed) => {
      const [{ token }] = claimed;
      await pool.query(complete([claimed.map(({ id }) => id), token]));
    },
    purge: async (limit) => (await pool.query(purge([limit]))).rowCount,
    close: () => pool.end(),
  };
}

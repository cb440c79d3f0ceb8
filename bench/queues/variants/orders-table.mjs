import { countOf, emptied, prepared } from "../../postgres/variants/pool.mjs";

const insert = prepared(
  "insert",
  "insert into work (id, tenant, key, input) values ($1, $2, $3, $4) on conflict do nothing",
);
const existing = prepared("existing", "select id from work where tenant = $1 and key = $2");
const find = prepared("find", "select input from work where id = $1 and state = 'pending'");
const complete = prepared(
  "complete",
  "update work set state = 'completed', settled_at = now() where id = $1 and state = 'pending'",
);

/** Creates the table of the orders of a variant by hand. */
export async function createOrders(pool) {
  await pool.query(`
    create table work (
      id uuid primary key, tenant text not null, key text not null, input text not null,
      state text not null default 'pending', due_at timestamptz not null default now(),
      settled_at timestamptz, unique (tenant, key));
    create index work_due on work (due_at) where state = 'pending'`);
}

/** The statements of a variant by hand, one for each step of an order. */
export function ordersTable(pool) {
  return {
    /** Records an order once per key. Returns the id of the order with this key, and whether it is new. */
    record: async ({ id, tenant, key, input }) => {
      const { rowCount } = await pool.query(insert([id, tenant, key, input]));
      if (rowCount === 1) return { id, isNew: true };
      return { id: (await pool.query(existing([tenant, key]))).rows[0].id, isNew: false };
    },
    /** Returns the input of an order, unless it is completed. */
    find: async (id) => (await pool.query(find([id]))).rows[0]?.input,
    /** Returns how many orders it completed: 0 if another worker was faster. */
    complete: async (id) => (await pool.query(complete([id]))).rowCount,
    reset: () => emptied(pool, "work"),
    completed: () => countOf(pool, "work where state = 'completed'"),
  };
}

/**
 * The variants to compare: `module` is a file in `variants`. Its `open({ url, ...options })` gets the URL of an empty database
 * and returns an object with these members, of which `accept`, `reset`, `accepted` and `close` are enough for `accept`:
 *
 * - `accept(order)` records an order with its `id`, `tenant`, `definition`, `key`, `fingerprint` and `input`. Resolves when it
 *   is durable.
 * - `reset()` deletes everything that was accepted.
 * - `accepted()` returns the number of accepted orders in the store, while no worker runs.
 * - `settled()`, which is optional, resolves when work that runs in the background has ended.
 * - `startWork({ onStart, onCompleted })` starts a worker that calls `onStart(id)` and awaits it, marks the order as completed,
 *   and calls `onCompleted()`. Returns a function that stops it.
 * - `completed()` returns the number of completed orders.
 * - `close()` closes everything.
 */
export const product = { name: "product", module: "product" };
export const productOverHttp = {
  name: "product, service.handle",
  module: "product",
  options: { http: true },
};
export const onePerTenant = {
  name: "product, one per tenant",
  module: "product",
  options: { limits: { runningPerTenant: 1 } },
};
export const rawInsert = { name: "raw INSERT", module: "raw-insert" };
export const rawSameRow = {
  name: "raw INSERT, product's row",
  module: "raw-insert",
  options: { sameRow: true },
};
export const groupCommit = { name: "group commit by hand", module: "group-commit" };
export const oneCte = { name: "one CTE: key, op, job", module: "one-cte" };
export const transaction = { name: "BEGIN, 3 INSERTs, COMMIT", module: "transaction" };
export const pgBoss = { name: "pg-boss, key, op in tx", module: "pg-boss" };
export const pgBossByTenant = {
  name: "pg-boss, group per tenant",
  module: "pg-boss",
  options: { groupPerTenant: true },
};
export const pgBossPlain = { name: "pg-boss, plain send", module: "pg-boss", options: { plain: true } };
export const graphileWorker = { name: "graphile, key, op in tx", module: "graphile-worker" };
export const graphileByTenant = {
  name: "graphile, queue per tenant",
  module: "graphile-worker",
  options: { queuePerTenant: true },
};
export const graphilePlain = {
  name: "graphile, plain add_job",
  module: "graphile-worker",
  options: { plain: true },
};
export const dbos = { name: "DBOS startWorkflow", module: "dbos" };
export const dbosWithStep = { name: "DBOS workflow + 1 step", module: "dbos", options: { withStep: true } };
export const byHand = {
  name: "Redis NX + op + bullmq",
  module: "by-hand",
  options: { keys: true },
  needsRedis: true,
};
export const bullmq = { name: "bullmq + op", module: "by-hand", needsRedis: true };
export const bullmqPlain = {
  name: "bullmq, plain add",
  module: "by-hand",
  options: { plain: true },
  needsRedis: true,
};
export const bullmqOnPostgres = { name: "bullmq on Postgres", module: "bullmq-on-postgres" };
export const restate = { name: "Restate", module: "restate", onRestate: true };

/** Returns the variants listed in BENCH_VARIANTS, separated by commas, which names also contain. Default: all. */
export function chosen(variants) {
  const list = process.env.BENCH_VARIANTS;
  return list === undefined ? variants : variants.filter(({ name }) => listed(list).includes(listed(name)));
}

function listed(names) {
  return `,${names.split(",").map((name) => name.trim())},`;
}

const million = 1_000_000;
/** Ways to fill the product's table beforehand. Ids are UUIDs v7 unless the name says otherwise. */
export const filled = {
  none: tableOf("empty table", {}),
  smallRandomKeys: tableOf("10,000 rows, random keys", { rows: 10_000, keys: "v4" }),
  smallOrderedKeys: tableOf("10,000 rows, v7 keys", { rows: 10_000, keys: "v7" }),
  randomKeys: tableOf("1 million rows, random keys", { rows: million, keys: "v4" }),
  orderedKeys: tableOf("1 million rows, v7 keys", { rows: million, keys: "v7" }),
  randomIds: tableOf("1 million rows, random keys, v4 ids", { rows: million, keys: "v4", ids: "v4" }),
};

function tableOf(name, options) {
  return { name, module: "product", options };
}

/** The layouts, each at two table sizes. */
export const layouts = [0, million].flatMap((rows) =>
  [
    { name: "one row, by hand", module: "layout-one-row" },
    { name: "three tables, by hand", module: "layout-three-tables" },
    { name: "product", module: "product" },
  ].map((layout) => ({ ...layout, name: `${layout.name}, ${rows} rows`, rows, options: { rows } })),
);

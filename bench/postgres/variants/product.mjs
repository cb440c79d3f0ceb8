import { load } from "../../against/build.mjs";
import { DEFINITION, TENANT } from "../inside/orders.mjs";
import { openOrderService } from "./order-service.mjs";
import { countOf, createPool, emptied } from "./pool.mjs";
import { productTables, RETENTION_MS } from "./product-tables.mjs";

const { createPostgresBackend } = await load("postgres");
const TABLE = "async_request_reply.operations";

/**
 * The back end with its defaults. Accepts with `submissions.record`, or with `http` as a request to the service. The table can
 * be filled with finished operations first.
 */
export async function open({ url, http, rows = 0, ids = "v7", keys = "v4", limits }) {
  const pool = createPool(url);
  const backend = createPostgresBackend({ pool });
  await backend.migrate();
  const { record, post, submit, submitMany, startWork } = openOrderService(backend, {
    retentionMs: RETENTION_MS,
    limits,
  });
  const tables = productTables({ pool, backend, table: TABLE, definition: DEFINITION, tenant: TENANT });
  if (rows > 0) await tables.fill({ rows, ids, keys });
  return {
    ...tables,
    choices: { ids, keys },
    accept: http ? post : record,
    submit,
    submitMany,
    // Keeps the operations that it was filled with.
    reset: () => (rows > 0 ? tables.checkpoint() : emptied(pool, TABLE)),
    accepted: tables.due,
    completed: () => countOf(pool, `${TABLE} where state = 'completed'`),
    startWork,
    close: async () => {
      await backend.close();
      await pool.end();
    },
  };
}

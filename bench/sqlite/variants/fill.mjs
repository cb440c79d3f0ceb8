import { newOrder } from "../../postgres/inside/orders.mjs";

/** Accepts and completes operations with random keys, until the file has this many. */
export async function fill({ database, rows, record, claim, complete }) {
  database.pragma("synchronous = OFF");
  for (let left = rows; left > 0; left -= 1_000) {
    await Promise.all(Array.from({ length: Math.min(left, 1_000) }, () => record(newOrder())));
    for (let leases = await claim(1_000); leases.length > 0; leases = await claim(1_000))
      await complete(leases);
  }
  database.pragma("synchronous = FULL");
  database.pragma("wal_checkpoint(TRUNCATE)");
}

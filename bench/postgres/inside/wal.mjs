import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";

/** Bytes of write-ahead log for each of so many accepted operations, from a checkpoint on. */
export async function wal(variant, { clients, accepts }) {
  await variant.checkpoint();
  const before = await variant.walPosition();
  await runCalls(clients, accepts, () => variant.accept(newOrder(variant.choices)));
  return { walBytes: ((await variant.walPosition()) - before) / accepts };
}

import { runCalls } from "./load.mjs";
import { newOrder } from "./orders.mjs";

/** Measures the bytes of write-ahead log per accepted operation after a checkpoint. */
export async function wal(variant, { clients, accepts }) {
  await variant.checkpoint();
  const before = await variant.walPosition();
  await runCalls(clients, accepts, () => variant.accept(newOrder(variant.choices)));
  return { walBytes: ((await variant.walPosition()) - before) / accepts };
}

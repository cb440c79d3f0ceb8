import type { OperationStore } from "async-request-reply";
import type { Operation } from "async-request-reply/ports";

/** Reads every operation of a store that has `list` and `getMany`, including internal ones, sorted by id. */
export async function allOperations(store: OperationStore): Promise<readonly Operation[]> {
  const listed = await store.list({ internal: true, limit: 100_000 });
  const operations = await store.getMany(listed.map(({ id }) => id));
  return [...operations].sort((one, other) => (one.id < other.id ? -1 : 1));
}

import type { Operation } from "../contract/operation.js";
import type { OperationStore } from "../ports/operation-store.js";

/** Every operation of a store that can list and read them, internal ones included, in the order of their ids. */
export async function allOperations(store: OperationStore): Promise<readonly Operation[]> {
  const listed = (await store.list?.({ internal: true, limit: 100_000 })) ?? [];
  const operations = (await store.getMany?.(listed.map(({ id }) => id))) ?? [];
  return [...operations].sort((one, other) => (one.id < other.id ? -1 : 1));
}

import type { Operation } from "../contract/operation.js";
import type { OperationStore } from "../ports/operation-store.js";

/** Tenants that wait for an operation, by id of the operation. */
export type Wanted = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads operations. Returns the visible ones by id. They can belong to a tenant that does not wait for them. */
export async function readBatch(
  operations: OperationStore,
  wanted: Wanted,
): Promise<ReadonlyMap<string, Operation>> {
  const found =
    operations.getMany === undefined
      ? await readEach(operations, wanted)
      : await operations.getMany([...wanted.keys()]);
  const visible = found.filter(({ hidden }) => hidden !== true);
  return new Map(visible.map((operation) => [operation.id, operation]));
}

async function readEach(operations: OperationStore, wanted: Wanted): Promise<readonly Operation[]> {
  const reads = [...wanted].flatMap(([id, tenants]) =>
    [...tenants].map((tenant) => operations.get(id, tenant)),
  );
  return (await Promise.all(reads)).filter((operation) => operation !== undefined);
}

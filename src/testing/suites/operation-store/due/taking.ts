import type { NewOperation } from "../../../../contract/operation.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import type { PortTime } from "../../port-case.js";
import { createWorking } from "../fixtures.js";

/** Ids that `takeDue` hands out, sorted. */
export async function takeIds(
  store: OperationStore,
  definitions: readonly string[] = ["orders"],
  limit = 100,
): Promise<string[]> {
  return (await store.takeDue({ definitions, limit })).map(({ id }) => id).sort();
}

/**
 * Creates operations whose only attempt was lost, so that they are due now. Returns their ids in order of creation.
 */
export async function createDue(
  store: OperationStore,
  { unitMs, pass }: PortTime,
  count: number,
  members: (index: number) => Partial<NewOperation> = () => ({}),
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await createWorking(store, unitMs, members(index))).operation.id);
  }
  await pass(unitMs);
  return ids;
}

/** Ids that `takeExpired` hands out, in that order. */
export async function takeExpiredIds(store: OperationStore, limit = 100): Promise<string[]> {
  return (await store.takeExpired({ limit })).map(({ id }) => id);
}

import type { SeparateOperationStore } from "../../../ports/separate-operation-store.js";
import type { PortCheck, PortHarness } from "../port-case.js";

/** Creates operation stores for `separateOperationStoreCases`. */
export type SeparateOperationStoreHarness = PortHarness<SeparateOperationStore>;

export type SeparateOperationStoreCheck = PortCheck<SeparateOperationStore, SeparateOperationStoreHarness>;

/** Returns the ids that `takeExpired` hands out, in that order. */
export async function takeExpiredIds(store: SeparateOperationStore, limit = 100): Promise<string[]> {
  return (await store.takeExpired({ limit })).map(({ id }) => id);
}

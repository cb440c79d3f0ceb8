import { type Clock, createMemoryStores } from "async-request-reply";
import type { SeparateStores, Submissions } from "async-request-reply/ports";
import type { MemoryIdempotencyStore } from "../../src/backends/memory/idempotency-store.js";
import type { MemoryOperationStore } from "../../src/backends/memory/operation-store.js";
import { MemorySubmissions } from "../../src/backends/memory/submissions.js";

/** Creates the stores of the memory back end, whose keys a mistake can release apart from their operations. */
export function looseKeys(clock: Clock): SeparateStores & { readonly submissions: Submissions<never> } {
  const stores = createMemoryStores({ clock });
  const submissions = new MemorySubmissions(
    stores.operations as MemoryOperationStore,
    stores.idempotency as MemoryIdempotencyStore,
  );
  return { ...stores, submissions };
}

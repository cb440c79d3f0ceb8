import type { Clock } from "async-request-reply";
import type { SeparateStores, Submissions } from "async-request-reply/ports";
import { openMemory } from "../../src/backends/memory/backend.js";

/** Creates the stores of the memory back end, whose keys a mistake can release apart from their operations. */
export function looseKeys(clock: Clock): SeparateStores & { readonly submissions: Submissions<never> } {
  return openMemory({ clock, maxOperations: 1_000_000 });
}

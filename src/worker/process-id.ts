import { processOf } from "../contract/operation.js";
import type { Runtime } from "../ports/runtime.js";

/** Returns a function that chooses an id at its first call, because some platforms have no randomness while modules load. */
export function createProcessId({ newToken }: Pick<Runtime, "newToken">): () => string {
  let id: string | undefined;
  return () => {
    id ??= processOf(newToken());
    return id;
  };
}

import type { Backend } from "../ports/backend.js";
import type { Runtime } from "../ports/runtime.js";

/** Dependencies of everything that a tenant does with operations. */
export interface OperationsContext {
  readonly backend: Backend;
  readonly settings: {
    /** Time limit of a store call. Milliseconds. */
    readonly recordTimeoutMs: number;
  };
  readonly runtime: Runtime;
}

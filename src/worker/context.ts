import type { RetryAfterEstimate } from "../core/retry-after.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { Announcer } from "../steps/announcer.js";
import type { Work } from "./attempt.js";
import type { Latch } from "./latch.js";
import type { WorkerSettings } from "./settings.js";

/** What everything that a worker does is done with. */
export interface WorkerContext {
  readonly works: ReadonlyMap<string, Work>;
  readonly backend: Backend;
  readonly runtime: Runtime;
  readonly settings: WorkerSettings;
  readonly announcer: Announcer;
  readonly estimate: RetryAfterEstimate;
  readonly observe: Observer;
  /** Raised when nothing new may begin. */
  readonly draining: Latch;
  /** Raised when what runs can be waited for no longer. */
  readonly stopping: Latch;
}

import type { Definitions } from "../contract/definitions.js";
import type { Backend } from "../ports/backend.js";
import type { AnyCreators } from "../ports/create.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { Announcer } from "../protocol/announcer.js";

/** Limits of accepting a submission. */
export interface SubmissionSettings {
  /** How long a store may take to answer. Milliseconds. */
  readonly recordTimeoutMs: number;
  /** How long `create` may take. Milliseconds. */
  readonly createTimeoutMs: number;
  /** Lease of a creation before the reply. Milliseconds. */
  readonly leaseMs: number;
  /** Maximum size of what `create` returns. Bytes. */
  readonly maxResultBytes: number;
}

/** Dependencies shared by everything that accepts submissions, over HTTP or in process. */
export interface SubmissionContext {
  readonly definitions: Definitions;
  readonly backend: Backend;
  readonly create: AnyCreators;
  readonly settings: SubmissionSettings;
  readonly runtime: Runtime;
  readonly observe: Observer;
  readonly announcer: Announcer;
}

import type { Definitions } from "../../contract/definition/definitions.js";
import type { AnyCreators } from "../../ports/create.js";
import type { Observer } from "../../ports/observer.js";
import type { Webhooks } from "../../ports/webhooks.js";
import type { WorkCounter } from "../../ports/work-counter.js";
import type { Backlog } from "../../protocol/backlog.js";
import type { Bell } from "../../protocol/bell.js";
import type { OperationsContext } from "../context.js";

/** Limits for accepting submissions. */
interface SubmissionSettings {
  /** Time limit of a `create` function. Milliseconds. */
  readonly createTimeoutMs: number;
  /** Lease of a `create` function. Milliseconds. */
  readonly leaseMs: number;
  /** Maximum size of the return value of a `create` function. Bytes. */
  readonly maxResultBytes: number;
}

/** Dependencies shared by everything that accepts submissions, over HTTP or in process. */
export interface SubmissionContext extends OperationsContext {
  readonly definitions: Definitions;
  readonly create: AnyCreators;
  readonly settings: OperationsContext["settings"] & SubmissionSettings;
  readonly observe: Observer;
  /** Absent if the back end keeps no minutes. */
  readonly minutes: WorkCounter | undefined;
  readonly bell: Bell;
  /** Refuses submissions over the limits of pending operations. Absent if no definition has such a limit. */
  readonly backlog?: Backlog;
  /** Announces the end of every operation. Absent if the service has no webhooks. */
  readonly webhooks?: Webhooks;
}

import type { AnyCreators } from "../ports/create.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { Webhooks } from "../ports/webhooks.js";
import type { Backlog } from "./backlog.js";
import type { Bell } from "./bell.js";
import type { Lifecycle } from "./lifecycle.js";
import type { RetryAfterEstimate } from "./retry-after.js";

/**
 * Member of a service that holds what it shares with the workers, adapters and documents that are made from it. A
 * registered symbol, because a program can load two copies of the package. A service that is spread into another object
 * keeps it.
 */
export const SHARED: unique symbol = Symbol.for("async-request-reply.shared");

/** The parts of a service that workers in its process share. */
export interface Shared {
  /** Functions that create a resource before the reply, by name of the definition. */
  readonly create: AnyCreators;
  readonly settings: {
    /** URI before the name of a problem type, in webhooks too. */
    readonly problemBaseUri: string;
  };
  /** Source of time, ids, randomness and hashes. */
  readonly runtime: Runtime;
  /** Reports an event to the observer. Never throws. */
  readonly observe: Observer;
  /** Wakes up workers. */
  readonly bell: Bell;
  /** Announces the end of every operation. Default: none. */
  readonly webhooks?: Webhooks;
  /** Tracks requests and submissions in progress, so `close` can wait for them. Workers of this service join it. */
  readonly lifecycle: Lifecycle;
  /** Refuses submissions over the limits of pending operations. Absent if no definition has such a limit. */
  readonly backlog?: Backlog;
  /** Estimates `Retry-After`. It learns from workers that are created from this service. */
  readonly estimate: RetryAfterEstimate;
}

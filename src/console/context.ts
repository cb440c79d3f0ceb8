import type { Operator } from "../operator/operator.js";
import type { Observer } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import type { ConsoleAccess, ConsoleAuthorize } from "./access/authorize.js";
import type { Counters } from "./data/counters.js";

/** Dependencies shared by all resources of a console. */
export interface ConsoleContext {
  readonly operator: Operator;
  readonly authorize: ConsoleAuthorize;
  readonly counters: Counters | undefined;
  readonly clock: Clock;
  readonly observe: Observer;
}

/** An authorized request for data, or for a change. */
export interface Call {
  readonly access: ConsoleAccess;
  /** Id of an operation in the path, or an empty string. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Body of a change, as parsed JSON. */
  readonly body: unknown;
  /** Aborted if the browser disconnects. */
  readonly signal: AbortSignal | undefined;
}

import type { ActionOptions } from "../operator/act.js";
import type { Operator } from "../operator/operator.js";
import type { Observer } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import type { ConsoleAuthorize } from "./access/authorize.js";
import type { Listener, Live } from "./live.js";

/** Dependencies shared by all resources of a console. */
export interface ConsoleContext {
  readonly operator: Operator;
  readonly authorize: ConsoleAuthorize;
  /** Template of the URL of a trace. */
  readonly traceUrl: string | undefined;
  readonly clock: Clock;
  readonly live: Live;
  readonly observe: Observer;
}

/** An authorized request for data, or for a change. */
export interface Call extends Listener {
  /** Id of the operation in the path, or an empty string. */
  readonly operationId: string;
  readonly query: URLSearchParams;
  /** Body of a change, as parsed JSON. */
  readonly body: unknown;
}

/** Returns who makes a change, as an operator records it. */
export function actorOf({ caller }: Pick<Call, "caller">): ActionOptions {
  return { by: caller.id, via: "console" };
}

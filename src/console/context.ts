import type { ActionOptions } from "../operator/act.js";
import type { Operator } from "../operator/operator.js";
import type { Observer } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import type { ConsoleAuthorize, ConsoleCaller } from "./access/authorize.js";

/** Dependencies shared by all resources of a console. */
export interface ConsoleContext {
  readonly operator: Operator;
  readonly authorize: ConsoleAuthorize;
  /** Template of the URL of a trace. */
  readonly traceUrl: string | undefined;
  readonly clock: Clock;
  readonly observe: Observer;
}

/** An authorized request for data, or for a change. */
export interface Call {
  readonly caller: ConsoleCaller;
  /** Id of the operation in the path, or an empty string. */
  readonly operationId: string;
  readonly query: URLSearchParams;
  /** Body of a change, as parsed JSON. */
  readonly body: unknown;
  /** Aborted if the browser disconnects. */
  readonly signal: AbortSignal | undefined;
}

/** Returns who makes a change, as an operator records it. */
export function actorOf({ caller }: Pick<Call, "caller">): ActionOptions {
  return { by: caller.id, via: "console" };
}

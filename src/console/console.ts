import { type AwaitUsing, awaitUsing } from "../contract/await-using.js";
import {
  checkFunction,
  checkOptions,
  invalidOption,
  isObject,
  type OptionNames,
} from "../contract/options.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../http/message/message.js";
import { toObserver } from "../observing/to-observer.js";
import type { Operator } from "../operator/operator.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { systemClock } from "../ports/system-runtime.js";
import { createLifecycle } from "../protocol/lifecycle.js";
import type { ConsoleAuthorize } from "./access/authorize.js";
import type { Counters } from "./counters.js";
import type { ConsoleContext } from "./data.js";
import { handle } from "./handle.js";

/** Options of {@link createConsole}. `operator` and `authorize` are required. */
export interface ConsoleOptions {
  /** Reads and changes the operations. The console shows what its back end supports. */
  readonly operator: Operator;
  /** Decides for each request whether its caller may do nothing, observe or operate. */
  readonly authorize: ConsoleAuthorize;
  /** Counters whose `observe` gets the events of the workers in this process. Default: no throughput and latency. */
  readonly counters?: Counters;
  /** Receives an event for every refused request. `false` turns events off. Default: logs errors to the console. */
  readonly observe?: Observer | false;
  /** Clock, for tests. Default: that of the platform. */
  readonly runtime?: Pick<Runtime, "clock">;
}

/** A page for operators, to mount with an adapter. Create one with {@link createConsole}. */
export interface Console extends AwaitUsing {
  /** Answers a request to any path, which may begin with any base path. Never rejects. */
  handle(request: HttpRequest, context?: RequestContext): Promise<HttpResponse>;
  /** Refuses new requests and waits for those in progress. Leaves the back end open. Never rejects. `await using` calls it. */
  close(): Promise<void>;
}

const OPTIONS: OptionNames<ConsoleOptions> = {
  operator: true,
  authorize: true,
  counters: true,
  observe: true,
  runtime: true,
};

/**
 * Creates a console. Mount it with any adapter, under any base path.
 *
 * Throws `INVALID_OPTION`.
 */
export function createConsole(options: ConsoleOptions): Console {
  checkOptions(options, OPTIONS, "createConsole");
  const { operator, authorize, counters, runtime: { clock } = { clock: systemClock } } = options;
  if (!isObject(operator) || typeof (operator as Partial<Operator>).list !== "function")
    throw invalidOption("operator", "the return value of createOperator()", operator);
  checkFunction("authorize", authorize);
  if (counters !== undefined && typeof (counters as Partial<Counters> | null)?.read !== "function")
    throw invalidOption("counters", "the return value of createCounters()", counters);
  const observe = toObserver(options.observe, clock);
  const context: ConsoleContext = { operator, authorize, counters, clock, observe };
  const lifecycle = createLifecycle((error) => observe({ event: "background.failed", step: "close", error }));
  return {
    handle: (request, platform = {}) =>
      lifecycle
        .run(() => handle(context, request, platform))
        .catch((error: unknown) =>
          handle({ ...context, authorize: () => Promise.reject(error) }, request, {}),
        ),
    close: () => lifecycle.close([]),
    ...awaitUsing(),
  };
}

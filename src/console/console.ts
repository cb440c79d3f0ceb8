import { type AwaitUsing, awaitUsing } from "../contract/await-using.js";
import { callback, instance, optional, unchecked } from "../contract/option-values.js";
import { type OptionTable, readOptions } from "../contract/options.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../http/message/message.js";
import { toObserver } from "../observing/to-observer.js";
import type { Operator } from "../operator/operator.js";
import { systemClock } from "../platform/system-runtime.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { createLifecycle } from "../protocol/lifecycle.js";
import type { ConsoleAuthorize } from "./access/authorize.js";
import type { ConsoleContext } from "./context.js";
import { handle } from "./handle.js";
import { createLive } from "./live.js";
import { readTraceUrl } from "./trace-url.js";

/** Options of {@link createConsole}. `operator` and `authorize` are required. */
export interface ConsoleOptions {
  /** Reads and changes the operations. */
  readonly operator: Operator;
  /** Decides for each request whether its caller may do nothing, observe or operate. */
  readonly authorize: ConsoleAuthorize;
  /**
   * Template of the URL of a trace, with `{traceId}`, such as `https://jaeger.example/trace/{traceId}`. The page of an operation that
   * was submitted in a trace links it. Default: no links.
   */
  readonly traceUrl?: string;
  /** Receives an event for every refused request. `false` turns events off. Default: logs errors to the console. */
  readonly observe?: Observer | false;
  /** Clock, for tests. Default: that of the platform. */
  readonly runtime?: Pick<Runtime, "clock">;
}

/** A page for operators, to mount with an adapter. Create one with {@link createConsole}. */
export interface Console extends AwaitUsing {
  /** Answers a request to any path, which may begin with any base path. Never rejects. */
  handle(request: HttpRequest, context?: RequestContext): Promise<HttpResponse>;
  /** Refuses new requests, ends event streams, and waits for requests in progress. Leaves the back end open. Never rejects. `await using` calls it. */
  close(): Promise<void>;
}

type Given = Omit<Required<ConsoleOptions>, "traceUrl"> & { readonly traceUrl: string | undefined };

const OPTIONS: OptionTable<Given> = {
  operator: instance("the return value of createOperator()", "list"),
  authorize: callback(),
  traceUrl: optional(readTraceUrl),
  observe: unchecked(),
  runtime: (value = { clock: systemClock }) => value as Pick<Runtime, "clock">,
};

/**
 * Creates a console. Mount it with any adapter, under any base path.
 *
 * Throws `INVALID_OPTION`.
 */
export function createConsole(options: ConsoleOptions): Console {
  const { runtime, ...given } = readOptions(options, OPTIONS, "createConsole");
  const { clock } = runtime;
  const observe = toObserver(given.observe, clock);
  const live = createLive({ operator: given.operator, clock });
  const context: ConsoleContext = { ...given, clock, live, observe };
  const lifecycle = createLifecycle((error) => observe({ event: "background.failed", step: "close", error }));
  lifecycle.onClose(async () => live.close());
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

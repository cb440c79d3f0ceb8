import { createMemoryBackend } from "../backends/memory/backend.js";
import { awaitUsing } from "../contract/await-using.js";
import { checkDefinitions } from "../contract/definition/check-definition.js";
import type { Definitions, NameOf } from "../contract/definition/definitions.js";
import { checkFunction } from "../contract/option-values.js";
import {
  checkOptions,
  isObject,
  misuse,
  type OptionNames,
  readNamed,
  shown,
  suggestName,
} from "../contract/options.js";
import type { Format } from "../formats/format.js";
import type { ServiceContext } from "../http/context.js";
import { createRouter } from "../http/handle.js";
import { checkPaths } from "../http/routing/check-paths.js";
import { SETTINGS, type SettingsOptions } from "../http/settings.js";
import { minutesOf } from "../observing/minutes.js";
import { toObserver } from "../observing/to-observer.js";
import { createHub } from "../operations/following/hub.js";
import { createPlaces } from "../operations/following/places.js";
import { createOutputHub } from "../operations/output/output-hub.js";
import { storeAnswer } from "../operations/store-answer.js";
import { createSystemRuntime } from "../platform/system-runtime.js";
import type { Backend, SeparateStores } from "../ports/backend.js";
import type { AnyCreators, Creators } from "../ports/create.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { checkWebhooks, type Webhooks } from "../ports/webhooks.js";
import { createBacklog } from "../protocol/backlog.js";
import { createBell } from "../protocol/bell.js";
import { toBackend } from "../protocol/compose-stores.js";
import { createCountedDurations } from "../protocol/counted-durations.js";
import { checkKept } from "../protocol/kept.js";
import { createLifecycle } from "../protocol/lifecycle.js";
import { createRetryAfterEstimate } from "../protocol/retry-after.js";
import { SHARED } from "../protocol/shared.js";
import { memoryOnlyEvent } from "./memory-only.js";
import { output } from "./output.js";
import { prepare } from "./prepare.js";
import { cancel, get } from "./read.js";
import { readFormats } from "./read-formats.js";
import { result } from "./result.js";
import type { Service, ServiceFor, WithHook } from "./service.js";
import { submit } from "./submit.js";
import { submitMany } from "./submit-many.js";

/** Options of {@link createService}. Only `definitions` is required, and `authorize` for HTTP. */
export interface ServiceOptions<List extends Definitions, Tx = unknown, Created extends NameOf<List> = never>
  extends SettingsOptions {
  /** At least one definition. Names and paths must be unique. */
  readonly definitions: List;
  /**
   * Back end that stores operations and wakes up workers, or the stores and the queue to compose one of. Default: the memory of this
   * process, with a warning.
   */
  readonly backend?: Backend<Tx> | SeparateStores;
  /**
   * Functions that create a resource before the reply, by name of the definition. The reply is then a 201 (spec §4.1).
   * Default: none; the reply is a 202.
   */
  readonly create?: Creators<NoInfer<List>, NoInfer<Tx>, Created>;
  /** Announces the end of every operation: see `createWebhooks` of `async-request-reply/webhooks`. Default: none. */
  readonly webhooks?: Webhooks;
  /** Formats in addition to JSON. Clients without a preference get JSON. Default: none. */
  readonly formats?: readonly Format[];
  /**
   * Receives every event, including full errors. To turn off logging, pass `false`. Default: logs warnings and errors
   * to the console, rate-limited and without client errors (4xx).
   */
  readonly observe?: Observer | false;
  /** Replaces the clock, ids, randomness or SHA-256, for tests. Default: those of the platform. */
  readonly runtime?: Partial<Runtime>;
}

/** Names of all {@link ServiceOptions}. */
export const SERVICE_OPTIONS: OptionNames<ServiceOptions<Definitions>> = {
  ...SETTINGS,
  definitions: true,
  backend: true,
  create: true,
  webhooks: true,
  formats: true,
  observe: true,
  runtime: true,
};

/**
 * Creates a service. It accepts work over HTTP and in process; workers run it (spec §1). Without `authorize`, it accepts
 * work in process only, and refuses every HTTP request.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createService<
  const List extends Definitions,
  Tx = never,
  const Created extends NameOf<List> = never,
  Hook = unknown,
>(options: ServiceOptions<List, Tx, Created> & WithHook<Hook>): ServiceFor<List, Tx, Hook> {
  checkOptions(options, SERVICE_OPTIONS, "createService");
  const { definitions, create = {}, webhooks } = options;
  checkDefinitions(definitions);
  checkCreators(definitions, create);
  checkWebhooks(webhooks);
  const settings = readNamed(options, SETTINGS);
  checkPaths(definitions, settings.statusPath);
  const runtime: Runtime = { ...createSystemRuntime(), ...options.runtime };
  const { clock } = runtime;
  const backend = toBackend<Tx>(options.backend ?? (createMemoryBackend({ clock }) as Backend<Tx>), clock);
  checkKept(definitions, backend);
  const ownObserve = toObserver(options.observe, runtime.clock);
  const minutes = minutesOf(backend, runtime, ownObserve);
  const observe = minutes?.counting(ownObserve) ?? ownObserve;
  const report = (error: unknown): void => observe({ event: "background.failed", step: "close", error });
  const lifecycle = createLifecycle(report);
  const bell = createBell({ queue: backend.queue, runtime, observe });
  const inTime = <Result>(call: Promise<Result>): Promise<Result> => storeAnswer({ settings, runtime }, call);
  const places = createPlaces(clock, settings.maxWaiters);
  const following = { operations: backend.operations, runtime, observe, places, inTime };
  const hub = createHub(following);
  const outputs =
    backend.output === undefined ? undefined : createOutputHub({ ...following, output: backend.output });
  const names = definitions.map(({ name }) => name);
  const estimate = createRetryAfterEstimate(
    backend.minutes && createCountedDurations({ minutes: backend.minutes, clock, names }),
  );
  const backlog = createBacklog({
    definitions,
    backend,
    runtime,
    estimate,
    onRefused: (definition) => minutes?.refused(definition),
    inTime,
  });
  const context: ServiceContext = {
    definitions,
    backend,
    create,
    settings,
    formats: readFormats(definitions, options.formats),
    runtime,
    observe,
    minutes,
    bell,
    ...(webhooks === undefined ? {} : { webhooks }),
    lifecycle,
    estimate,
    ...(backlog === undefined ? {} : { backlog }),
    hub,
    ...(outputs === undefined ? {} : { outputs }),
  };
  const { hasPath, handle } = createRouter(context);
  const service: Service<List, Tx> = {
    definitions,
    backend,
    [SHARED]: context,
    hasPath,
    handle,
    submit: (definition, input, given) => lifecycle.run(() => submit(context, definition, input, given)),
    submitMany: (definition, items, given) =>
      lifecycle.run(() => submitMany(context, definition, items, given)),
    prepare: (definition, input, given) =>
      lifecycle.run(() => prepare(context, definition, input, given)) as never,
    get: (definition, id, given) => lifecycle.run(() => get(context, definition, id, given)) as never,
    result: (definition, id, given) => lifecycle.run(() => result(context, definition, id, given)) as never,
    output: (definition, id, given) => output(context, definition, id, given) as never,
    cancel: (definition, id, given) => lifecycle.run(() => cancel(context, definition, id, given)) as never,
    close: () => {
      // The lifecycle waits for requests in progress, and these may be waiting for work.
      hub.close();
      outputs?.close();
      return lifecycle.close([bell.flush, async () => minutes?.end(), backend.close]);
    },
    ...awaitUsing(),
  };
  const memoryOnly = memoryOnlyEvent(backend, options.backend !== undefined);
  if (memoryOnly !== undefined) observe(memoryOnly);
  return service as ServiceFor<List, Tx, Hook>;
}

function checkCreators(definitions: Definitions, create: unknown): asserts create is AnyCreators {
  if (!isObject(create))
    throw misuse(
      `Option \`create\` must be an object of functions, each under the name of its definition, not ${shown(create)}.`,
    );
  const known = definitions.map((definition) => definition.name);
  for (const [name, value] of Object.entries(create)) {
    if (!known.includes(name))
      throw misuse(
        `Unknown definition ${shown(name)} in \`create\`. ${suggestName("definitions", name, known)}`,
      );
    checkFunction(`create.${name}`, value, { optional: true });
  }
}

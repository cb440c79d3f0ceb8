import { DEFAULT_FAILED_RETENTION_MS, DEFAULT_RETENTION_MS } from "../contract/definition/definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { AsyncReplyError } from "../contract/errors.js";
import { checkOptions } from "../contract/options.js";
import { readProblemBaseUri } from "../contract/problem-base-uri.js";
import { toObserver } from "../observing/to-observer.js";
import type { Backend } from "../ports/backend.js";
import type { AnyCreators } from "../ports/create.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { createSystemRuntime } from "../ports/system-runtime.js";
import type { Webhooks } from "../ports/webhooks.js";
import { type Announcer, createAnnouncer } from "../protocol/announcer.js";
import type { Lifecycle } from "../protocol/lifecycle.js";
import type { RetryAfterEstimate } from "../protocol/retry-after.js";
import { createSweep } from "../protocol/sweep.js";
import { Cancellations } from "./attempt/cancellations.js";
import { checkAtStart } from "./check-at-start.js";
import { checkSource } from "./check-source.js";
import type { WorkerContext } from "./context.js";
import { deliveryProcessors } from "./deliveries.js";
import { createExecutor } from "./executor.js";
import { Latch } from "./latch.js";
import { createLoops } from "./loops.js";
import { type Processors, readProcessors } from "./processors.js";
import { createUnattendedReport } from "./report-unattended.js";
import { readWorkerSettings, type WorkerOptions } from "./settings.js";
import { createSuspects } from "./suspects.js";

/** Source of a worker's work: a service, or an object with at least `definitions` and `backend`. */
export interface WorkerSource<List extends Definitions, Tx = unknown> {
  /** Definitions that the worker may have processors for. */
  readonly definitions: List;
  /** Back end that the worker shares with the processes that accept requests. */
  readonly backend: Backend<Tx>;
  /**
   * Functions that create a resource before the reply, by name of their definition. They finish submissions whose
   * process died before creating it. Default: none; such submissions are left to other workers.
   */
  readonly create?: AnyCreators;
  /** Webhooks of the service. Default: none; deliveries are left to other workers. */
  readonly webhooks?: Webhooks;
  /**
   * The `problemBaseUri` of the service, for webhooks. A worker that is created from a service uses the service's.
   * Default: the page of this package on npm.
   */
  readonly problemBaseUri?: string;
  /** Settings of the service in the same process. Default: those of a service without options. */
  readonly settings?: { readonly problemBaseUri: string };
  /** Time, ids, randomness and SHA-256, for tests. Default: those of the platform. */
  readonly runtime?: Partial<Runtime>;
  /**
   * Receives every event, including full errors. `false` turns events off. Default: logs warnings and errors to the
   * console, rate-limited. A worker that is created from a service uses the service's observer.
   */
  readonly observe?: Observer | false;
  /** Announcer of the service in the same process. Default: a new one. */
  readonly announcer?: Announcer;
  /** `Retry-After` estimate of the service in the same process, which learns from this worker. Default: none. */
  readonly estimate?: RetryAfterEstimate;
  /** Lifecycle of the service in the same process. The worker stops when the service closes. Default: none. */
  readonly lifecycle?: Lifecycle;
}

/** Runs the processors of its definitions. Create one with {@link createWorker}. */
export interface Worker {
  /**
   * Checks the back end, then starts receiving and sweeping. If the store cannot be reached, the observer receives the error,
   * and the worker starts and keeps trying.
   *
   * Throws `INVALID_OPTION` if the back end is misconfigured. Throws `WORKER_STOPPED` after `stop`.
   */
  start(): Promise<void>;
  /**
   * Stops receiving, lets running attempts finish for `drainTimeoutMs`, and then releases those that still run,
   * without counting the attempt. A second call releases them at once. Resolves when no attempt runs any more.
   */
  stop(): Promise<void>;
  /**
   * Works until no operation is due, and then resolves. Use it in tests, which can move the store's clock to later
   * retries, and on platforms that call a function from time to time instead of keeping a process.
   *
   * If `signal` is aborted or `stop` is called, the worker begins no more work, and this resolves when the attempts that
   * have begun have ended. `stop` releases them after `drainTimeoutMs`, `signal` does not. After `stop`, it resolves at
   * once. Throws `INVALID_OPTION`.
   */
  runUntilIdle(options?: { readonly signal?: AbortSignal }): Promise<void>;
}

const GIVE_BACK_TIMEOUT_MS = 5_000;

/**
 * Creates a worker. It does nothing until it is started.
 *
 * Throws `INVALID_OPTION`.
 */
export function createWorker<const List extends Definitions, Tx = never>(
  source: WorkerSource<List, Tx>,
  processors: Processors<NoInfer<List>, NoInfer<Tx>>,
  options: WorkerOptions = {},
): Worker {
  checkSource(source);
  const { backend, create = {}, lifecycle } = source;
  const runtime: Runtime = { ...createSystemRuntime(), ...source.runtime };
  const { clock, random } = runtime;
  const observe = toObserver(source.observe, clock);
  const settings = readWorkerSettings(options, random);
  const deliveries = deliveryProcessors(source.webhooks, settings, {
    operations: backend.operations,
    runtime,
    observe,
    problemBaseUri: readProblemBaseUri(source.problemBaseUri ?? source.settings?.problemBaseUri),
  });
  const given = { create, settings, random, deliveries };
  const announcer = source.announcer ?? createAnnouncer({ queue: backend.queue, runtime, observe });
  const draining = new Latch();
  const stopping = new Latch();
  const context: WorkerContext = {
    processors: readProcessors(source.definitions, processors, given),
    backend,
    runtime,
    settings,
    announcer,
    estimate: source.estimate,
    observe,
    suspects: createSuspects(clock),
    cancellations: new Cancellations(),
    draining,
    stopping,
  };
  const { receiveLoop, sweepLoop, workUntilIdle, ended, close } = createLoops(context, {
    sweep: sweepWith(context, source.definitions),
    execute: createExecutor(context),
  });
  let starting: Promise<void> | undefined;
  let loops: readonly Promise<void>[] | undefined;
  let stopped: Promise<void> | undefined;
  let unwatch: (() => void) | undefined;

  async function drain(): Promise<void> {
    let cancelTimer = clock.schedule(settings.drainTimeoutMs, () => stopping.raise());
    const finished = Promise.all(loops ?? [])
      .then(ended)
      // The announcer of a service has other users.
      .then(source.announcer === undefined ? announcer.close : announcer.idle)
      .then(close);
    // A store or a broker that does not answer must not prevent the process from ending.
    const givenUp = new Promise<void>((resolve) => {
      stopping.onRaise(() => {
        cancelTimer();
        cancelTimer = clock.schedule(GIVE_BACK_TIMEOUT_MS, resolve);
      });
    });
    await Promise.race([finished, givenUp]);
    cancelTimer();
    unwatch?.();
  }

  async function begin(): Promise<void> {
    try {
      await checkAtStart({ backend, clock, observe, draining });
    } catch (error) {
      // The next call checks again.
      starting = undefined;
      throw error;
    }
    if (draining.raised) return;
    unwatch = context.cancellations.watch(backend.operations);
    loops = [receiveLoop(), sweepLoop()];
  }

  const stop = (): Promise<void> => {
    if (draining.raised) stopping.raise();
    draining.raise();
    stopped ??= drain();
    return stopped;
  };
  // A worker that is already stopping keeps its time: a second call of `stop` would end it.
  lifecycle?.onClose(() => stopped ?? stop());
  return {
    start: async () => {
      if (draining.raised) throw new AsyncReplyError("WORKER_STOPPED", "A stopped worker cannot be started.");
      starting ??= begin();
      await starting;
    },
    stop,
    runUntilIdle: async (limits = {}) => {
      checkOptions(limits, { signal: true }, "worker.runUntilIdle");
      await workUntilIdle(limits.signal);
    },
  };
}

/** Creates the sweep of a worker, which also reports definitions without a worker. */
function sweepWith(context: WorkerContext, known: Definitions): () => Promise<number> {
  const { processors, backend, runtime, settings, announcer, observe } = context;
  const sweep = createSweep({
    backend,
    definitions: [...processors.keys()],
    announcer,
    clock: runtime.clock,
    retentionOf: (definition) =>
      known.find(({ name }) => name === definition) ?? {
        retentionMs: DEFAULT_RETENTION_MS,
        failedRetentionMs: DEFAULT_FAILED_RETENTION_MS,
      },
    observe,
    ...settings,
  });
  const unattended = known.map(({ name }) => name).filter((name) => !processors.has(name));
  const reportUnattended = createUnattendedReport(context, unattended);
  return async () => {
    const announced = await sweep();
    await reportUnattended();
    return announced;
  };
}

import { DEFAULT_RETENTION_MS } from "../contract/definition.js";
import type { Definitions } from "../contract/definitions.js";
import { AsyncReplyError } from "../contract/errors.js";
import { toObserver } from "../observing/to-observer.js";
import type { Backend } from "../ports/backend.js";
import type { AnyCreators } from "../ports/create.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { createSystemRuntime } from "../ports/system-runtime.js";
import { type Announcer, createAnnouncer } from "../protocol/announcer.js";
import type { Lifecycle } from "../protocol/lifecycle.js";
import type { RetryAfterEstimate } from "../protocol/retry-after.js";
import { createSweep } from "../protocol/sweep.js";
import { checkSource } from "./check-source.js";
import type { WorkerContext } from "./context.js";
import { createExecutor } from "./executor.js";
import { Latch } from "./latch.js";
import { createLoops } from "./loops.js";
import { type Processors, readProcessors } from "./processors.js";
import { createUnattendedReport } from "./report-unattended.js";
import { readWorkerSettings, type WorkerOptions } from "./settings.js";

/** What a worker works for. A service fits; a process that only works needs no more than the first two. */
export interface WorkerSource<List extends Definitions, Tx = unknown> {
  /** The definitions that it may have processors for. */
  readonly definitions: List;
  /** Shared with the processes that accept requests. */
  readonly backend: Backend<Tx>;
  /**
   * The functions that create a resource before the reply, by name of their definition: they finish submissions whose process
   * died meanwhile. Default: none; such submissions are left to other workers.
   */
  readonly create?: AnyCreators;
  /** Time, ids, randomness and SHA-256, for tests. What is left out is the platform's. */
  readonly runtime?: Partial<Runtime>;
  /**
   * Receives every event, including full errors. `false` turns the default off. Default: logs warnings and errors to the
   * console, rate-limited. A worker that is created from a service uses the service's observer.
   */
  readonly observe?: Observer | false;
  /** That of the service in the same process. Default one of its own. */
  readonly announcer?: Announcer;
  /** The estimate of the service in the same process, which learns from this worker. Default: none. */
  readonly estimate?: RetryAfterEstimate;
  /** The lifecycle of the service in the same process: the worker stops when the service closes. Default: none. */
  readonly lifecycle?: Lifecycle;
}

/** Does the work of the definitions that it has processors for. Made by {@link createWorker}. */
export interface Worker {
  /** Begins to receive and to sweep. */
  start(): Promise<void>;
  /**
   * Receives no more, lets attempts finish for `drainTimeoutMs`, then gives back what still runs without counting the
   * attempt. A second call gives back at once. Resolves when nothing runs any more.
   */
  stop(): Promise<void>;
  /**
   * Works until nothing is due at the store's present time, and returns: for tests, which move the store's clock to what
   * waits for a later time, and for platforms that call a function now and then instead of keeping a process.
   */
  runUntilIdle(): Promise<void>;
}

const GIVE_BACK_TIMEOUT_MS = 5_000;

/**
 * Makes a worker. It does nothing until it is started.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
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
  const given = { create, settings, random };
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
    draining,
    stopping,
  };
  const { receiveLoop, sweepLoop, runUntilIdle, settled, close } = createLoops(context, {
    sweep: sweepWith(context, source.definitions),
    execute: createExecutor(context),
  });
  let loops: readonly Promise<void>[] | undefined;
  let stopped: Promise<void> | undefined;

  async function drain(): Promise<void> {
    let cancelTimer = clock.schedule(settings.drainTimeoutMs, () => stopping.raise());
    const finished = Promise.all(loops ?? [])
      .then(settled)
      .then(announcer.idle)
      .then(close);
    // A store or a broker that does not answer must not keep the process from ending.
    const givenUp = new Promise<void>((resolve) => {
      stopping.onRaise(() => {
        cancelTimer();
        cancelTimer = clock.schedule(GIVE_BACK_TIMEOUT_MS, resolve);
      });
    });
    await Promise.race([finished, givenUp]);
    cancelTimer();
  }

  const stop = (): Promise<void> => {
    if (draining.raised) stopping.raise();
    draining.raise();
    stopped ??= drain();
    return stopped;
  };
  lifecycle?.onClose(stop);
  return {
    start: async () => {
      if (draining.raised) throw new AsyncReplyError("WORKER_STOPPED", "A stopped worker cannot be started.");
      loops ??= [receiveLoop(), sweepLoop()];
    },
    stop,
    runUntilIdle,
  };
}

/** Sweeps, and looks for definitions that no worker works for. */
function sweepWith(context: WorkerContext, known: Definitions): () => Promise<number> {
  const { processors, backend, runtime, settings, announcer, observe } = context;
  const sweep = createSweep({
    backend,
    definitions: [...processors.keys()],
    announcer,
    clock: runtime.clock,
    retentionOf: (definition) =>
      known.find(({ name }) => name === definition)?.retentionMs ?? DEFAULT_RETENTION_MS,
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

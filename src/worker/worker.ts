import { type AwaitUsing, awaitUsing } from "../contract/await-using.js";
import { DEFAULT_FAILED_RETENTION_MS, DEFAULT_RETENTION_MS } from "../contract/definition/definition.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { duration, instance, optional } from "../contract/option-values.js";
import { invalidOption, type OptionTable, readOptions } from "../contract/options.js";
import { readProblemBaseUri } from "../contract/problem-base-uri.js";
import { minutesOf } from "../observing/minutes.js";
import { toObserver } from "../observing/to-observer.js";
import { createSystemRuntime } from "../platform/system-runtime.js";
import { Deadlines, withinTime } from "../platform/waits.js";
import type { Backend } from "../ports/backend.js";
import type { Runtime } from "../ports/runtime.js";
import { createBell } from "../protocol/bell.js";
import { checkKept } from "../protocol/kept.js";
import { SHARED } from "../protocol/shared.js";
import { createSweep, type Sweep } from "../protocol/sweep.js";
import { createAttempts } from "./attempt/attempt.js";
import { FlushBeat } from "./attempt/output/flush-beat.js";

import { keepsOutput, Running, reportError, type WorkerContext } from "./context.js";
import { keepContext } from "./keep-context.js";
import { Latch } from "./latch.js";
import { createLoops } from "./loops.js";
import { createProcessId } from "./process-id.js";
import { deliveryProcessors, type Processors, readProcessors } from "./processors.js";
import { createUnattendedReport } from "./report-unattended.js";
import type { RunSummary } from "./run-summary.js";
import { checkRunTime } from "./run-time.js";
import { readWorkerSettings, type WorkerOptions } from "./settings.js";
import { createSuspects } from "./suspects.js";
import { checkSource, type WorkerSource } from "./worker-source.js";

/** Runs the processors of its definitions. Create one with {@link createWorker}. */
export interface Worker extends AwaitUsing {
  /**
   * Checks the back end, then starts claiming and sweeping. If the store cannot be reached, the observer receives the error,
   * and the worker starts and keeps trying.
   *
   * Throws `INVALID_OPTION` if the back end is misconfigured. Throws `WORKER_STOPPED` after `stop`.
   */
  start(): Promise<void>;
  /**
   * Stops receiving, lets running attempts finish for `drainTimeoutMs`, and then releases those that still run,
   * without counting the attempt. A second call releases them at once. Resolves when no attempt runs any more.
   * `await using` calls it, or waits for an earlier call.
   */
  stop(): Promise<void>;
  /**
   * Works until no operation is due, and then resolves to what it did. Use it in tests, which can move the store's clock
   * to later retries, and in scripts without a time limit. With a time limit, use {@link Worker.runFor}.
   *
   * If `signal` is aborted or `stop` is called, the worker begins no more work, and this resolves when the attempts that
   * have begun have ended. `stop` releases them after `drainTimeoutMs`, `signal` does not. After `stop`, it resolves at
   * once. Throws `INVALID_OPTION`. Rejects if the queue or the store cannot be reached.
   */
  runUntilIdle(options?: { readonly signal?: AbortSignal }): Promise<RunSummary>;
  /**
   * Works until no operation is due or `maxMs` is nearly over, and resolves to what it did, by the end of `maxMs`. Use it
   * on platforms that call a function for a limited time instead of keeping a process. At the end, the worker holds
   * nothing, so the platform can freeze or kill the process. Runs at the same time share the work.
   *
   * When a tenth of `maxMs` is left, at most 1 s, it takes no more work. It interrupts the attempts that still run: it
   * aborts their signal with `WORKER_STOPPED`, and releases them without counting them, so the next run continues at once.
   * In the tenth before that, at most 10 s, `job.checkpoint` releases operations, and no operation with checkpoints begins.
   * An operation only begins if its `attemptTimeoutMs` ends before attempts are released.
   *
   * `signal` and `stop` end it as they end {@link Worker.runUntilIdle}.
   *
   * Throws `INVALID_OPTION`, also if attempts of a definition could never begin, because their `attemptTimeoutMs` does not
   * fit into `maxMs`. Rejects if the queue or the store cannot be reached.
   *
   * @param options.maxMs Time until which the call has resolved. Choose less than the limit of the platform. Milliseconds.
   * @param options.signal Ends the run. Default: none.
   */
  runFor(options: { readonly maxMs: number; readonly signal?: AbortSignal }): Promise<RunSummary>;
}

const GIVE_BACK_TIMEOUT_MS = 5_000;

/**
 * Creates a worker. It does nothing until it is started. Processors run in the asynchronous context of this call, not in that
 * of a request that starts the worker or a run.
 *
 * Throws `INVALID_OPTION`.
 */
export function createWorker<const List extends Definitions, Tx = never>(
  source: WorkerSource<List, Tx>,
  processors: Processors<NoInfer<List>, NoInfer<Tx>>,
  options: WorkerOptions = {},
): Worker {
  checkSource(source);
  const { backend, [SHARED]: shared } = source;
  checkKept(source.definitions, backend);
  const runtime: Runtime = { ...createSystemRuntime(), ...shared?.runtime, ...source.runtime };
  const { clock, random } = runtime;
  const ownObserve = toObserver(source.observe ?? shared?.observe, clock);
  const minutes = minutesOf(backend, runtime, ownObserve);
  // The observer of a service has counted already.
  const isCounted = source.observe === undefined && shared !== undefined;
  const observe = isCounted ? ownObserve : (minutes?.counting(ownObserve) ?? ownObserve);
  const settings = readWorkerSettings(options, random);
  const deliveries = deliveryProcessors(source.webhooks ?? shared?.webhooks, settings, {
    operations: backend.operations,
    runtime,
    observe,
    problemBaseUri: readProblemBaseUri(source.problemBaseUri ?? shared?.settings.problemBaseUri),
  });
  const create = source.create ?? shared?.create ?? {};
  const given = { create, settings, random, deliveries };
  const bell = shared?.bell ?? createBell({ queue: backend.queue, runtime, observe });
  const draining = new Latch();
  const stopping = new Latch();
  const context: WorkerContext = {
    processors: readProcessors(source.definitions, processors, given),
    backend,
    runtime,
    process: createProcessId(runtime),
    settings,
    bell,
    estimate: shared?.estimate,
    observe,
    minutes,
    suspects: createSuspects(clock),
    running: new Running(),
    leases: { operations: backend.operations, clock, deadlines: new Deadlines(clock, 1) },
    flushes: new FlushBeat(clock),
    draining,
    isEnding: () => draining.raised,
    stopping,
  };
  const { claimLoop, sweepLoop, run, ended } = createLoops(context, {
    sweep: sweepWith(context, source.definitions),
    attempt: createAttempts(context),
  });
  // Work of all tenants must not run in the context of the request that started it.
  const inOwnContext = keepContext();
  let starting: Promise<void> | undefined;
  let loops: readonly Promise<void>[] | undefined;
  let stopped: Promise<void> | undefined;
  let unwatch: (() => void) | undefined;
  let unserve: (() => void) | undefined;
  const forgetUnused = shared?.lifecycle.onEnter(reportUnused(context, source.definitions));

  async function drain(): Promise<void> {
    let cancelTimer = clock.schedule(settings.drainTimeoutMs, () => stopping.raise());
    const finished = Promise.all(loops ?? [])
      .then(ended)
      .then(bell.flush)
      .then(minutes?.flush);
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
    unserve?.();
  }

  async function begin(): Promise<void> {
    try {
      await checkAtStart(context);
    } catch (error) {
      // The next call checks again.
      starting = undefined;
      throw error;
    }
    if (draining.raised) return;
    unwatch = context.running.watchCancellations(backend.operations);
    unserve = minutes?.serve(context.processors.keys());
    loops = [claimLoop(), sweepLoop()];
  }

  const stop = (): Promise<void> => {
    forgetUnused?.();
    if (draining.raised) stopping.raise();
    draining.raise();
    stopped ??= drain();
    return stopped;
  };
  // A worker that is already stopping keeps its time: a second call of `stop` would end it.
  const stopOnce = (): Promise<void> => stopped ?? stop();
  shared?.lifecycle.onClose(stopOnce);
  return {
    start: async () => {
      if (draining.raised) throw new AsyncReplyError("WORKER_STOPPED", "A stopped worker cannot be started.");
      forgetUnused?.();
      starting ??= inOwnContext(begin);
      await starting;
    },
    stop,
    runUntilIdle: async (limits = {}) => {
      const read = readOptions(limits, IDLE_OPTIONS, "worker.runUntilIdle");
      forgetUnused?.();
      return inOwnContext(() => run(read));
    },
    runFor: async (limits) => {
      const read = readOptions(limits, RUN_OPTIONS, "worker.runFor");
      checkRunTime(read.maxMs, context.processors);
      forgetUnused?.();
      return inOwnContext(() => run(read));
    },
    ...awaitUsing(stopOnce),
  };
}

const IDLE_OPTIONS: OptionTable<{ readonly signal: AbortSignal | undefined }> = {
  signal: optional(instance("an AbortSignal", "addEventListener")),
};

const RUN_OPTIONS: OptionTable<{ readonly maxMs: number; readonly signal: AbortSignal | undefined }> = {
  ...IDLE_OPTIONS,
  maxMs: (value, name) => {
    if (value === undefined) throw invalidOption(name, "a whole number greater than 0", value);
    return duration(1)(value, name);
  },
};

/** Creates the sweep of a worker, which also reports definitions without a worker. */
function sweepWith(context: WorkerContext, known: Definitions): Sweep {
  const { processors, backend, settings, bell, observe, minutes } = context;
  const sweep = createSweep({
    backend,
    definitions: [...processors.keys()],
    bell,
    hasOutput: known.some(keepsOutput),
    retentionOf: (definition) =>
      known.find(({ name }) => name === definition) ?? {
        retentionMs: DEFAULT_RETENTION_MS,
        failedRetentionMs: DEFAULT_FAILED_RETENTION_MS,
      },
    observe,
    minutes,
    ...settings,
  });
  const unattended = known.map(({ name }) => name).filter((name) => !processors.has(name));
  const reportUnattended = createUnattendedReport(context, unattended);
  return {
    ...sweep,
    clean: async () => {
      const hasDeleted = await sweep.clean();
      await reportUnattended();
      return hasDeleted;
    },
  };
}

/** Time for which a worker may wait to be started. Milliseconds. */
const UNUSED_MS = 60_000;

/** Returns a function that reports definitions whose operations wait, although a worker was created that could run them. */
function reportUnused(context: WorkerContext, known: Definitions): () => void {
  const own = known.map(({ name }) => name).filter((name) => context.processors.has(name));
  const report = createUnattendedReport(context, own, UNUSED_MS);
  return () => void report();
}

/** Applies to a back end without its own, shorter limit. */
const CHECK_TIMEOUT_MS = 30_000;

/**
 * Checks the back end before a worker starts. If the store cannot be reached, reports it to the observer and returns: the
 * worker starts and keeps trying.
 *
 * Throws `INVALID_OPTION` if the back end is misconfigured.
 */
async function checkAtStart(context: WorkerContext): Promise<void> {
  const { backend, runtime, draining } = context;
  const stopped = new Promise<void>((resolve) => void draining.onRaise(resolve));
  try {
    await withinTime(Promise.race([stopped, check(backend)]), CHECK_TIMEOUT_MS, runtime.clock, notInTime);
  } catch (error) {
    if (draining.raised) return;
    if (isAsyncReplyError(error) && error.code === "INVALID_OPTION") throw error;
    reportError(context, "check", error);
  }
}

/** Rejects if `check` throws or does not exist. */
async function check(backend: Pick<Backend, "check">): Promise<void> {
  await backend.check();
}

function notInTime(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The check of the back end did not settle in time.");
}

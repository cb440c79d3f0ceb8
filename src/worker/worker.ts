import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError } from "../core/errors.js";
import { checkFunction, invalidOption } from "../core/options.js";
import { createRetryAfterEstimate, type RetryAfterEstimate } from "../core/retry-after.js";
import type { Backend } from "../ports/backend.js";
import { type Observer, shielded } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import { createSystemRuntime } from "../ports/system-runtime.js";
import { type Announcer, createAnnouncer } from "../steps/announcer.js";
import { createSweep } from "../steps/sweep.js";
import type { Work } from "./attempt.js";
import { createExecutor } from "./executor.js";
import type { Processor } from "./job.js";
import { Latch } from "./latch.js";
import { createLoops } from "./loops.js";
import { readWorkerSettings, type WorkerOptions } from "./settings.js";

/** What a worker works for. A service fits; a process that only works needs no more than the first two. */
export interface WorkerSource<Definitions extends readonly OperationDefinition[], Tx = unknown> {
  /** The definitions that it may have processors for. */
  readonly operations: Definitions;
  /** Shared with the processes that accept requests. */
  readonly backend: Backend<Tx>;
  /** Time, ids, randomness and SHA-256, for tests. What is left out is the platform's. */
  readonly runtime?: Partial<Runtime>;
  /** Is told of every event and every whole error. Default nobody. */
  readonly observe?: Observer;
  /** That of the service in the same process. Default one of its own. */
  readonly announcer?: Announcer;
  /** That of the service in the same process, which learns from the worker. Default one of its own. */
  readonly estimate?: RetryAfterEstimate;
}

type Named<Definitions extends readonly OperationDefinition[], Name> = Extract<
  Definitions[number],
  { readonly name: Name }
>;

type ProcessorOf<Definition, Tx> =
  Definition extends OperationDefinition<string, infer Output, infer Result>
    ? Processor<Output, Result, Tx>
    : never;

/** A processor for each definition that this worker works on, by name. */
export type Processors<Definitions extends readonly OperationDefinition[], Tx = unknown> = {
  readonly [Name in Definitions[number]["name"]]?: ProcessorOf<Named<Definitions, Name>, Tx>;
};

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
export function createWorker<const Definitions extends readonly OperationDefinition[], Tx = unknown>(
  source: WorkerSource<Definitions, Tx>,
  processors: Processors<Definitions, Tx>,
  options: WorkerOptions = {},
): Worker {
  const { backend } = source;
  const runtime: Runtime = { ...createSystemRuntime(), ...source.runtime };
  const observe = shielded(source.observe);
  const settings = readWorkerSettings(options, runtime.random);
  const works = toWorks(source.operations, processors);
  const definitions = [...works.keys()];
  const announcer = source.announcer ?? createAnnouncer({ queue: backend.queue, runtime, observe });
  const sweep = createSweep({ backend, definitions, announcer, clock: runtime.clock, observe, ...settings });
  const draining = new Latch();
  const stopping = new Latch();
  const execute = createExecutor({
    works,
    backend,
    runtime,
    settings,
    announcer,
    estimate: source.estimate ?? createRetryAfterEstimate(),
    observe,
    draining,
    stopping,
  });
  const { receiveLoop, sweepLoop, runUntilIdle, settled } = createLoops({
    queue: backend.queue,
    definitions,
    settings,
    runtime,
    announcer,
    observe,
    sweep,
    execute,
    draining,
  });
  let loops: readonly Promise<void>[] | undefined;
  let stopped: Promise<void> | undefined;

  async function drain(): Promise<void> {
    const { clock } = runtime;
    let cancelTimer = clock.schedule(settings.drainTimeoutMs, () => stopping.raise());
    const finished = Promise.all(loops ?? [])
      .then(settled)
      .then(announcer.idle);
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

  return {
    start: async () => {
      if (draining.raised) throw new AsyncReplyError("WORKER_STOPPED", "A stopped worker cannot be started.");
      loops ??= [receiveLoop(), sweepLoop()];
    },
    stop: () => {
      if (draining.raised) stopping.raise();
      draining.raise();
      stopped ??= drain();
      return stopped;
    },
    runUntilIdle,
  };
}

function toWorks(
  definitions: readonly OperationDefinition[],
  processors: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Work> {
  const names = Object.keys(processors);
  if (names.length === 0) throw invalidOption("processors", "an object with at least one processor", "{}");
  return new Map(
    names.map((name) => {
      const definition = definitions.find((candidate) => candidate.name === name);
      const known = definitions.map((candidate) => candidate.name).join(", ");
      if (definition === undefined)
        throw invalidOption("processors", `keyed by the names of definitions (${known})`, name);
      checkFunction(`processors.${name}`, processors[name]);
      return [name, { definition, processor: processors[name] as Work["processor"] }];
    }),
  );
}

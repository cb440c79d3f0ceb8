import type { Runtime } from "../ports/runtime.js";
import type { Worker } from "../worker/worker.js";

/** Dependencies of {@link ObjectRuns}. */
export interface ObjectRunsOptions {
  readonly worker: Pick<Worker, "runUntilIdle">;
  /** Number of slots of the worker. */
  readonly concurrency: number;
  readonly runtime: Pick<Runtime, "pause">;
  /** Keeps the object in memory until this work has settled. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Called before each run, which waits for it. Never rejects. */
  readonly onStart: () => Promise<void>;
  /** Called when no run is in progress any more, with whether nothing is due. */
  readonly onRest: (idle: boolean) => Promise<void>;
  readonly report: (error: unknown) => void;
}

/**
 * The runs of the worker in an object, which has no loop. A run that waits for its attempts hears no ring, so a ring starts another
 * one, and they share the slots. One more than there are slots always finds the next free one.
 */
export class ObjectRuns {
  readonly #options: ObjectRunsOptions;
  #running = 0;
  /** Whether a run has started that will find what rings now. */
  #isStarting = false;
  /** Whether there was a ring while there were enough runs. */
  #isLeft = false;

  constructor(options: ObjectRunsOptions) {
    this.#options = options;
  }

  /** Works until nothing is due. */
  start(): void {
    if (this.#isStarting) return;
    this.#isLeft = this.#running > this.#options.concurrency;
    if (this.#isLeft) return;
    this.#isStarting = true;
    this.#running += 1;
    this.#options.waitUntil(this.#run());
  }

  async #run(): Promise<void> {
    const { worker, runtime, onStart, onRest, report } = this.#options;
    let idle = false;
    try {
      await runtime.pause();
      await onStart();
      this.#isStarting = false;
      ({ idle } = await worker.runUntilIdle());
    } catch (error) {
      report(error);
    }
    this.#running -= 1;
    try {
      if (this.#isLeft) this.start();
      else if (this.#running === 0) await onRest(idle);
    } catch (error) {
      // The alarm that was set before stays.
      report(error);
    }
  }
}

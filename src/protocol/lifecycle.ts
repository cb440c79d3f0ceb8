import { AsyncReplyError } from "../contract/errors.js";

/** Tracks work in progress, refuses new work after `close`, and runs the closing steps once. */
export interface Lifecycle {
  /** Throws `SERVICE_CLOSED` if the service has been closed. */
  checkOpen(): void;
  /**
   * Begins work that `close` waits for, until `leave`.
   *
   * Throws `SERVICE_CLOSED`.
   */
  enter(): void;
  /** Ends the work of one `enter`. */
  leave(): void;
  /** Runs work between `enter` and `leave`. Rejects like them and like the work. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Calls a function with each `enter`, until the function is called that this returns. It must not throw. */
  onEnter(listener: () => void): () => void;
  /** Adds a closing step. It runs while `close` waits for work in progress. */
  onClose(step: () => Promise<void>): void;
  /** Waits for work in progress and the added steps, then runs `lastSteps` in order. Never rejects. */
  close(lastSteps: readonly (() => Promise<void>)[]): Promise<void>;
}

/** Creates the lifecycle of a service. `report` receives errors of closing steps. */
export function createLifecycle(report: (error: unknown) => void): Lifecycle {
  const steps: (() => Promise<void>)[] = [];
  const listeners = new Set<() => void>();
  let active = 0;
  let becameIdle: () => void = () => {};
  let closing: Promise<void> | undefined;

  async function end(lastSteps: readonly (() => Promise<void>)[]): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      becameIdle = resolve;
      if (active === 0) resolve();
    });
    await Promise.all([idle, ...steps.map((step) => step().catch(report))]);
    for (const step of lastSteps) await step().catch(report);
  }

  function checkOpen(): void {
    if (closing !== undefined) throw serviceClosed();
  }

  function enter(): void {
    checkOpen();
    active += 1;
    if (listeners.size > 0) for (const listener of listeners) listener();
  }

  function leave(): void {
    active -= 1;
    if (active === 0) becameIdle();
  }

  return {
    checkOpen,
    enter,
    leave,
    run: async (work) => {
      enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    onEnter: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onClose: (step) => {
      steps.push(step);
    },
    close: (lastSteps) => {
      closing ??= end(lastSteps);
      return closing;
    },
  };
}

/** Returns the error for any call after `close()`. */
export function serviceClosed(): AsyncReplyError {
  return new AsyncReplyError(
    "SERVICE_CLOSED",
    "This service is closed. Create a new service, or call `close()` later.",
  );
}

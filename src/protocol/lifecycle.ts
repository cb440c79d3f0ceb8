import { AsyncReplyError } from "../contract/errors.js";

/** Counts what is in progress, refuses what comes after the end, and runs the steps of the end once. */
export interface Lifecycle {
  /**
   * Runs a piece of work that the end waits for.
   *
   * @throws AsyncReplyError `SERVICE_CLOSED`
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Adds a step for the end, which runs after the last piece of work. */
  onClose(step: () => Promise<void>): void;
  /** Waits for work in progress, then runs the added steps and the last steps, in order. Never rejects. */
  close(lastSteps: readonly (() => Promise<void>)[]): Promise<void>;
}

/** Creates the lifecycle of a service. `report` gets the errors of the steps. */
export function createLifecycle(report: (error: unknown) => void): Lifecycle {
  const steps: (() => Promise<void>)[] = [];
  let active = 0;
  let becameIdle: () => void = () => {};
  let closing: Promise<void> | undefined;

  async function end(lastSteps: readonly (() => Promise<void>)[]): Promise<void> {
    if (active > 0) {
      await new Promise<void>((resolve) => {
        becameIdle = resolve;
      });
    }
    for (const step of [...steps, ...lastSteps]) await step().catch(report);
  }

  return {
    run: async (work) => {
      if (closing !== undefined) throw serviceClosed();
      active += 1;
      try {
        return await work();
      } finally {
        active -= 1;
        if (active === 0) becameIdle();
      }
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

/** The error of everything that is asked of a service after `close()`. */
function serviceClosed(): AsyncReplyError {
  return new AsyncReplyError("SERVICE_CLOSED", "This service has been closed. Create a new one to go on.");
}

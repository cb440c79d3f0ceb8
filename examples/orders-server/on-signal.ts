import { constants } from "node:os";

/** Calls `stop` at the first signal. A second signal ends the process with the exit code that shells use for it. */
export function onSignal(stop: (signal: string) => Promise<void>): void {
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(128 + constants.signals[signal]);
      stopping = true;
      void stop(signal);
    });
  }
}

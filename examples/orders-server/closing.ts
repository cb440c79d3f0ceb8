import type { Backend } from "async-request-reply";

/** Adds a step to `close` of a back end. The package leaves a database open, because it may be shared. */
export function closing<Tx>(backend: Backend<Tx>, end: () => Promise<void> | void): Backend<Tx> {
  return {
    ...backend,
    close: async () => {
      await backend.close();
      await end();
    },
  };
}

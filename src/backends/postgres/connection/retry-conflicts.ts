import { MAX_TRIES } from "../../../batching/back-off.js";
import { isConflict } from "./store-error.js";

/**
 * Runs a transaction again after a conflict, as long as `mayRepeat` says that no user code has run. Above READ
 * COMMITTED, a transaction cannot read changes that were committed after it began, but a new transaction can.
 */
export async function retryConflicts<T>(run: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === MAX_TRIES || !mayRepeat() || !isConflict(error)) throw error;
    }
  }
}

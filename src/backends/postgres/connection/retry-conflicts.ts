import { MAX_TRIES } from "../../../batching/back-off.js";
import { isConflict } from "./store-error.js";

/**
 * Runs a transaction again if it met a conflict and `mayRepeat` says that nothing of the user's has run. Above READ COMMITTED
 * a transaction cannot read what was committed after it began; the next one can.
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

import { type Backend, isAsyncReplyError } from "async-request-reply";
import { StartError } from "./start-error.js";

/**
 * Refuses to start on a back end that cannot be used.
 *
 * @throws StartError with the next step
 */
export async function checkBackend(backend: Backend): Promise<void> {
  try {
    await backend.check();
  } catch (error) {
    if (!isAsyncReplyError(error)) throw error;
    throw new StartError(`BACKEND: ${error.detail}`);
  }
}

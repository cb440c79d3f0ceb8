import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { withinTime } from "../../platform/waits.js";
import type { BrokerSettings } from "./settings.js";

/** Makes one call to a broker. Throws `QUEUE_UNAVAILABLE` if it fails, or has no answer within the time limit. */
export type CallBroker = <T>(call: () => PromiseLike<T>) => Promise<T>;

/** Creates the function through which a queue makes all calls that need an answer of the broker. */
export function createCalls(
  broker: string,
  { timeoutMs, runtime }: Pick<BrokerSettings, "timeoutMs" | "runtime">,
): CallBroker {
  const tooLate = (): AsyncReplyError =>
    new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue did not answer in time.", {
      eventDetail: `${broker} did not answer within ${timeoutMs} ms. Check that it runs and can be reached.`,
    });
  return async (call) => {
    try {
      return await withinTime(call(), timeoutMs, runtime.clock, tooLate);
    } catch (error) {
      throw unavailable(broker, error);
    }
  };
}

/** Returns `QUEUE_UNAVAILABLE` with the error of a broker's client as its cause. */
export function unavailable(broker: string, error: unknown): AsyncReplyError {
  if (isAsyncReplyError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new AsyncReplyError("QUEUE_UNAVAILABLE", "The queue is unavailable.", {
    cause: error,
    eventDetail: `${broker} is unavailable: ${reason}`,
  });
}
